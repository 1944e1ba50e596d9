import { type Dictionary, signatureOf } from './dictionary.js'

const maxExpansions = 16
const minPrefix = 3
const minTypo = 4
/** From this length on, two slips still leave a word recognisable. */
const minTwoTypos = 8

/**
 * Known terms that a word unknown to the index may stand for: terms that begin with it, and terms within one slip
 * (two for long words; a swap of neighbours counts as one).
 * @returns at most 16 pairs [term, weight below 1], the best first.
 */
export function expandTerm(terms: Dictionary, word: string): [string, number][] {
  const near: [string, number][] = []
  const maxSlips = word.length < minTypo ? 0 : word.length < minTwoTypos ? 1 : 2
  const signature = signatureOf(word)
  const { signatures, capacity } = terms
  for (let number = 1; number < capacity; number++) {
    const theirs = signatures[number]!
    if (theirs === 0) continue
    const mayBegin = (signature & ~theirs) === 0 && word.length >= minPrefix
    if (!mayBegin && (maxSlips === 0 || bitsOf(signature ^ theirs) > 2 * maxSlips)) continue
    const text = terms.text(number)
    const weight = weightOf(text, word, maxSlips)
    // While a snapshot is written, forgotten words keep their numbers: skip those.
    if (weight > 0 && terms.get(text) === number) near.push([text, weight])
  }
  return bestNear(near)
}

/** The best of some terms near a word, each once. @returns at most 16, the best first. */
export function bestNear(near: readonly [string, number][]): [string, number][] {
  return [...new Map(near)].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxExpansions)
}

function weightOf(text: string, word: string, maxSlips: number): number {
  if (word.length >= minPrefix && text.startsWith(word)) return (0.6 * word.length) / text.length
  if (maxSlips === 0) return 0
  const slips = slipsBetween(word, text, maxSlips)
  return slips > maxSlips ? 0 : slips === 1 ? 0.5 : 0.3
}

function bitsOf(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Rows of the table below, for words of usual length. */
let slipRows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)] as const

/**
 * Optimal string alignment distance; anything above `max` may come back as `max + 1`. Looks only at the band of the
 * table where a distance of `max` is possible.
 */
function slipsBetween(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  const width = b.length + 2
  if (width > slipRows[0].length)
    slipRows = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)]
  let [beforeLast, last, row] = slipRows
  for (let j = 0; j < width; j++) last[j] = Math.min(j, max + 1)
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max)
    const to = Math.min(b.length, i + max)
    row[from - 1] = from === 1 ? Math.min(i, max + 1) : max + 1
    let least = row[from - 1]!
    const letter = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let slips = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + Number(letter !== other))
      const isSwap =
        i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other && letter !== other
      if (isSwap) slips = Math.min(slips, beforeLast[j - 2]! + 1)
      row[j] = slips
      if (slips < least) least = slips
    }
    row[to + 1] = max + 1
    if (least > max) return max + 1
    const spare = beforeLast
    beforeLast = last
    last = row
    row = spare
  }
  return last[b.length]!
}
