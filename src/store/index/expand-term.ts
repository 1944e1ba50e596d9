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
  for (let number = 1; number < terms.capacity; number++) {
    const common = terms.signatures[number]!
    if (common === 0) continue
    const weight = weightOf(terms, number, word, signature, maxSlips)
    if (weight > 0) near.push([terms.text(number), weight])
  }
  return near.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxExpansions)
}

function weightOf(
  terms: Dictionary,
  number: number,
  word: string,
  signature: number,
  maxSlips: number,
): number {
  const theirs = terms.signatures[number]!
  if ((signature & ~theirs) === 0 && word.length >= minPrefix) {
    const text = terms.text(number)
    if (text.startsWith(word)) return (0.6 * word.length) / text.length
  }
  if (maxSlips === 0 || bitsOf(signature ^ theirs) > 2 * maxSlips) return 0
  const text = terms.text(number)
  if (terms.get(text) !== number) return 0
  const slips = slipsBetween(word, text, maxSlips)
  return slips > maxSlips ? 0 : slips === 1 ? 0.5 : 0.3
}

function bitsOf(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Optimal string alignment distance; anything above `max` may come back as `max + 1`. */
function slipsBetween(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1
      let slips = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + changed)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) slips = Math.min(slips, beforeLast[j - 2]! + 1)
      row.push(slips)
    }
    if (Math.min(...row) > max) return max + 1
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
