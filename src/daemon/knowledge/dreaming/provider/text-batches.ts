import type { EvidenceText } from '../reader.js'

/** A part of a text that is read at once. */
export interface Excerpt {
  piece: EvidenceText
  text: string
}

/** Characters per question: with the answer they fit into the 4,096 tokens of small local models. */
const batchCharacters = 6000
const maxExcerpts = 20
/** Parts read of one text; of very long texts only the beginning is read. */
const partsOfPiece = 4

/** Groups texts for questions: short ones together, long ones in parts, in order. */
export function batchesOf(pieces: readonly EvidenceText[]): Excerpt[][] {
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

function excerptsOf(piece: EvidenceText): Excerpt[] {
  const excerpts: Excerpt[] = []
  let from = 0
  while (from < piece.text.length && excerpts.length < partsOfPiece) {
    const to = endOf(piece.text, from)
    excerpts.push({ piece, text: piece.text.slice(from, to) })
    from = to
  }
  return excerpts
}

/** Ends a part at white space in its last third if possible, and never inside a character. */
function endOf(text: string, from: number): number {
  const furthest = from + batchCharacters
  if (furthest >= text.length) return text.length
  const tail = text.slice(from + Math.floor((batchCharacters * 2) / 3), furthest)
  const blank = tail.search(/\s\S*$/u)
  if (blank >= 0) return furthest - tail.length + blank + 1
  const code = text.charCodeAt(furthest)
  return code >= 0xdc00 && code <= 0xdfff ? furthest - 1 : furthest
}
