/** One reading of a piece of text, prepared for matching; the stored content is never altered. */
export interface View {
  text: string
  /** The text with ends of lines as blanks, for the search of words; offsets are the same. */
  flat: string
  /** False for decoded text: what somebody encoded is meant, so quotation marks excuse nothing there. */
  quotes: boolean
  /** Ranges of fenced code blocks as [start, end) offsets into `text`, in order. */
  fences: readonly (readonly [number, number])[]
  /** Length of the passages that the text is divided into, at most 31 of them, in UTF-16 units. */
  passageLength: number
  /** Which runs of three characters are in it, by their hash: a word with another one need not be searched. */
  trigrams: Uint8Array
  /** Words that were looked up, and the passages that hold them: bit n stands for passage n. */
  found: Map<string, number>
}

/** A stretch of a view as [start, end) offsets. */
export type Stretch = readonly [start: number, end: number]

const maxPassages = 31
const trigramHashes = 32_768
const minPassageLength = 1024
// The longest start of a rule; what begins in a stretch may end this far behind it.
const maxStartLength = 400

/** @param text folded text; `quotes` says whether a quoted attack may count as talk about an attack. */
export function createView(text: string, options: { quotes: boolean }): View {
  const flat = text.replaceAll('\n', ' ')
  return {
    text,
    flat,
    quotes: options.quotes,
    fences: options.quotes ? fencedRanges(text) : [],
    passageLength: Math.max(minPassageLength, Math.ceil(text.length / maxPassages)),
    trigrams: trigramsOf(flat),
    found: new Map(),
  }
}

/**
 * The stretches that hold, or stand next to a passage that holds, a word of every group. Each word is searched once
 * per view, so that rules whose words are missing cost next to nothing.
 */
export function stretchesWith(view: View, groups: readonly (readonly string[])[]): Stretch[] {
  let passages = -1 >>> 1
  for (const words of groups) {
    let some = 0
    for (const word of words) some |= passagesWith(view, word)
    passages &= some | (some << 1) | (some >>> 1)
    if (passages === 0) return []
  }
  return joinPassages(view, passages)
}

/** Whether an offset lies inside a fenced code block. */
export function isFenced(view: View, offset: number): boolean {
  let low = 0
  let high = view.fences.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (view.fences[middle]![1] <= offset) low = middle + 1
    else high = middle
  }
  const range = view.fences[low]
  return range !== undefined && range[0] <= offset
}

function passagesWith(view: View, word: string): number {
  const known = view.found.get(word)
  if (known !== undefined) return known
  let passages = 0
  let at = mayHold(view.trigrams, word) ? view.flat.indexOf(word) : -1
  while (at >= 0) {
    const passage = Math.floor(at / view.passageLength)
    passages |= 1 << passage
    at = view.flat.indexOf(word, (passage + 1) * view.passageLength)
  }
  view.found.set(word, passages)
  return passages
}

function trigramsOf(text: string): Uint8Array {
  const trigrams = new Uint8Array(trigramHashes)
  for (let at = 0, before = 0; at < text.length; at++) {
    before = nextHash(before, text.charCodeAt(at))
    trigrams[before] = 1
  }
  return trigrams
}

/** False only for a word that is not there. */
function mayHold(trigrams: Uint8Array, word: string): boolean {
  for (let at = 0, before = 0; at < word.length; at++) {
    before = nextHash(before, word.charCodeAt(at))
    if (at >= 2 && trigrams[before] === 0) return false
  }
  return true
}

/** Shifted by five bits, so that a character is out of a hash of fifteen after three steps. */
function nextHash(before: number, code: number): number {
  return ((before << 5) ^ code ^ (code >> 5)) & (trigramHashes - 1)
}

/** Neighbouring passages become one stretch; it starts one character early, so that word boundaries are seen. */
function joinPassages(view: View, passages: number): Stretch[] {
  const stretches: Stretch[] = []
  const count = Math.ceil(view.text.length / view.passageLength)
  for (let passage = 0; passage < count; passage++) {
    if ((passages & (1 << passage)) === 0) continue
    const first = passage
    while ((passages & (1 << (passage + 1))) !== 0 && passage + 1 < count) passage++
    const start = Math.max(0, first * view.passageLength - 1)
    stretches.push([start, Math.min(view.text.length, (passage + 1) * view.passageLength + maxStartLength)])
  }
  return stretches
}

function fencedRanges(text: string): [number, number][] {
  if (!text.includes('```')) return []
  const marks = [...text.matchAll(/^ {0,3}```/gm)].map(mark => mark.index)
  const ranges: [number, number][] = []
  for (let mark = 0; mark + 1 < marks.length; mark += 2) ranges.push([marks[mark]!, marks[mark + 1]!])
  return ranges
}
