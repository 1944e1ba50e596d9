import type { FoundWords, Vocabulary } from './vocabulary.js'

/** One variant of a text, prepared for matching; the stored content is never changed. */
export interface View {
  text: string
  /** False for decoded text: encoding shows intent, so quotation marks excuse nothing. */
  quotes: boolean
  /** Ranges of fenced code blocks as [start, end) offsets into `text`, in order. */
  fences: readonly (readonly [number, number])[]
  /** Length of the passages the text is divided into, at most 31, in UTF-16 units. */
  passageLength: number
  /** Words of the vocabulary in the text. */
  found: FoundWords
}

const none: Stretch[] = []

/** A stretch of a view as [start, end) offsets. */
export type Stretch = readonly [start: number, end: number]

const maxPassages = 31
const minPassageLength = 1024
// Length of the longest start of a rule: a match that begins in a stretch may end this far after it.
const maxStartLength = 400

/** @param text folded text; `quotes` allows a quoted attack to count as a mention */
export function createView(text: string, vocabulary: Vocabulary, options: { quotes: boolean }): View {
  const passageLength = Math.max(minPassageLength, Math.ceil(text.length / maxPassages))
  return {
    text,
    quotes: options.quotes,
    fences: options.quotes ? fencedRanges(text) : [],
    passageLength,
    found: vocabulary.passagesWith(text.replaceAll('\n', ' '), passageLength),
  }
}

/**
 * The stretches with a word of every group in them or in a neighbouring passage.
 * @param passagesOf bit sets of passages by word number
 */
export function stretchesWith(
  { text, passageLength, found }: View,
  groups: readonly (readonly number[])[],
  passagesOf: Readonly<Record<number, number>> = byWord(found),
): Stretch[] {
  let passages = -1 >>> 1
  for (const words of groups) {
    let some = 0
    for (const word of words) some |= passagesOf[word] ?? 0
    passages &= some | (some << 1) | (some >>> 1)
    if (passages === 0) return none
  }
  return joinPassages(text.length, passageLength, passages)
}

function byWord({ words, passages }: FoundWords): Record<number, number> {
  return Object.fromEntries(words.map((word, place) => [word, passages[place] as number]))
}

/** True when an offset is inside a fenced code block. */
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

/**
 * Joins neighbouring passages into one stretch, which starts one character early so that word boundaries are
 * seen.
 */
function joinPassages(length: number, passageLength: number, passages: number): Stretch[] {
  const stretches: Stretch[] = []
  const count = Math.ceil(length / passageLength)
  for (let passage = 0; passage < count; passage++) {
    if ((passages & (1 << passage)) === 0) continue
    const first = passage
    while ((passages & (1 << (passage + 1))) !== 0 && passage + 1 < count) passage++
    const start = Math.max(0, first * passageLength - 1)
    stretches.push([start, Math.min(length, (passage + 1) * passageLength + maxStartLength)])
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
