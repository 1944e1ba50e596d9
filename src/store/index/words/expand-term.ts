import { type Dictionary, signatureOf } from './dictionary.js'

const maxExpansions = 16
const minPrefix = 3
const minTypo = 4
/** Words of at least this length may differ by two typos. */
const minTwoTypos = 8

/**
 * Known terms similar to an unknown word: those beginning with it, and those within one typo (two for long
 * words; a swap of neighbours counts as one).
 * @returns at most 16 pairs [term, weight below 1], the best first.
 */
export function expandTerm(terms: Dictionary, word: string): [string, number][] {
  const near: [string, number][] = []
  const maxSlips = word.length < minTypo ? 0 : word.length < minTwoTypos ? 1 : 2
  const signature = signatureOf(word)
  for (const { length, isOpen, terms: some } of terms.byLength().from(word.length - maxSlips)) {
    const mayBegin = word.length >= minPrefix && (length >= word.length || isOpen)
    // All bits set matches nothing, since no term has every character.
    const begun = mayBegin ? signature : 0xffffffff
    const most = length <= word.length + maxSlips && maxSlips > 0 ? 2 * maxSlips : -1
    const { numbers, signatures, count } = some
    for (let i = 0; i < count; i++) {
      const theirs = signatures[i]!
      if ((begun & ~theirs) !== 0 && (most < 0 || bitsOf(signature ^ theirs) > most)) continue
      const text = terms.text(numbers[i]!)
      const weight = weightOf(text, word, maxSlips)
      // While a snapshot is written, forgotten words keep their numbers: skip those.
      if (weight > 0 && terms.get(text) === numbers[i]) near.push([text, weight])
    }
  }
  return keepBestTerms(near)
}

/** The best distinct terms near a word. @returns at most 16, the best first. */
export function keepBestTerms(near: readonly [string, number][]): [string, number][] {
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

/**
 * Optimal string alignment distance up to 2; anything above `max` may be returned as `max + 1`. At the first
 * difference each of the four edits is tried and the rest compared recursively: for so few edits that needs
 * no table.
 */
function slipsBetween(a: string, b: string, max: number, i = 0, j = 0): number {
  let aEnd = a.length
  let bEnd = b.length
  if (Math.abs(aEnd - i - (bEnd - j)) > max) return max + 1
  while (i < aEnd && j < bEnd && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++
    j++
  }
  while (i < aEnd && j < bEnd && a.charCodeAt(aEnd - 1) === b.charCodeAt(bEnd - 1)) {
    aEnd--
    bEnd--
  }
  const left = Math.max(aEnd - i, bEnd - j)
  if (left <= 1 || max === 0) return left
  const isSwapped = a.charCodeAt(i) === b.charCodeAt(j + 1) && a.charCodeAt(i + 1) === b.charCodeAt(j)
  if (isSwapped && aEnd - i === 2 && bEnd - j === 2) return 1
  // With one edit left, the cases above were complete; with two, the second follows the first.
  if (max === 1) return 2
  const behind = Math.min(
    slipsBetween(a, b, max - 1, i + 1, j + 1),
    slipsBetween(a, b, max - 1, i + 1, j),
    slipsBetween(a, b, max - 1, i, j + 1),
    isSwapped ? slipsBetween(a, b, max - 1, i + 2, j + 2) : max,
  )
  return 1 + behind
}
