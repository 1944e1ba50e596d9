import type { EvidencePiece } from '../reader.js'

/** A part of a piece that is read at once. */
export interface Excerpt {
  piece: EvidencePiece
  text: string
}

/** Characters of one question: with the answer they fit into the 4,096 tokens that small local models read. */
const batchCharacters = 6000
const maxExcerpts = 20
/** Parts of one piece that are read; of texts of megabytes the beginning has to do. */
const partsOfPiece = 4

/** Pieces as questions take them: short ones together, long ones in parts, in their order. */
export function batchesOf(pieces: readonly EvidencePiece[]): Excerpt[][] {
  const batches: Excerpt[][] = []
  let size = 0
  for (const excerpt of pieces.flatMap(excerptsOf)) {
    const last = batches.at(-1)
    if (last && last.length < maxExcerpts && size + excerpt.text.length <= batchCharacters) {
      last.push(excerpt)
      size += excerpt.text.length
    } else {
      batches.push([excerpt])
      size = excerpt.text.length
    }
  }
  return batches
}

function excerptsOf(piece: EvidencePiece): Excerpt[] {
  const excerpts: Excerpt[] = []
  let from = 0
  while (from < piece.text.length && excerpts.length < partsOfPiece) {
    const to = endOf(piece.text, from)
    excerpts.push({ piece, text: piece.text.slice(from, to) })
    from = to
  }
  return excerpts
}

/** Where a part ends: at white space in its last third, if there is any, and never inside a character. */
function endOf(text: string, from: number): number {
  const furthest = from + batchCharacters
  if (furthest >= text.length) return text.length
  const tail = text.slice(from + Math.floor((batchCharacters * 2) / 3), furthest)
  const blank = tail.search(/\s\S*$/u)
  if (blank >= 0) return furthest - tail.length + blank + 1
  const code = text.charCodeAt(furthest)
  return code >= 0xdc00 && code <= 0xdfff ? furthest - 1 : furthest
}
