import { type Breather, inStretches } from '../../../lib/concurrency/loop-budget.js'
import { growArray } from '../arrays/growable.js'
import { type StoredStrings, StringNumbers } from '../arrays/string-numbers.js'

/** Snapshot data of a range of dictionary numbers. */
export interface StoredWords extends StoredStrings {
  signatures: Uint32Array
}

const numbersPerStep = 10_000
/** Length of a typical word in characters. */
const usualLength = 16

/**
 * Maps strings to small numbers with use counts: an unused string is forgotten and its number reused. Number
 * 0 means "none".
 */
export class Dictionary {
  readonly strings = new StringNumbers()
  #uses = new Uint32Array(64)
  #free: number[] = []
  #held: number[] | undefined
  /** Bloom filter of the characters of each string, 32 bits; a typo search skips most words by it. */
  signatures = new Uint32Array(64)
  /** Built on demand, and again after half of its terms were forgotten. */
  #byLength: TermsByLength | undefined
  #gone = 0

  /** Number of strings in use. */
  get size(): number {
    return this.strings.size
  }

  /** One more than the highest number ever assigned. */
  get capacity(): number {
    return this.strings.last + 1
  }

  /** The number of a known string, otherwise 0. */
  get(text: string): number {
    return this.strings.get(text) ?? 0
  }

  /** The string of a number; '' if it was forgotten. */
  text(number: number): string {
    return this.strings.text(number)
  }

  /** The strings in use by length, possibly with some forgotten ones. */
  byLength(): TermsByLength {
    if (this.#byLength) return this.#byLength
    this.#gone = 0
    this.#byLength = new TermsByLength()
    for (let number = 1; number < this.capacity; number++) {
      const signature = this.signatures[number]!
      if (signature !== 0) this.#byLength.add(number, this.strings.lengthOf(number), signature)
    }
    return this.#byLength
  }

  /** Counts one use of a string, new or known, and returns its number. */
  retain(text: string): number {
    const number = this.strings.get(text) ?? this.#add(text)
    this.#uses[number]!++
    return number
  }

  /** Removes one use. */
  release(number: number): void {
    if (number === 0 || --this.#uses[number]! > 0) return
    this.strings.delete(this.text(number))
    if (this.#held) this.#held.push(number)
    else this.#forget(number)
  }

  /**
   * Freezes all numbers until `unhold`: forgotten strings stay readable by `text`, and new ones are appended.
   */
  hold(): void {
    this.#held ??= []
  }

  unhold(): void {
    for (const number of this.#held ?? []) this.#forget(number)
    this.#held = undefined
  }

  /** Packs the numbers `from` to before `to` (snapshots). */
  stored(from: number, to: number): StoredWords {
    const numbers = Uint32Array.from({ length: to - from }, (_, i) => from + i)
    return { ...this.strings.stored(numbers), signatures: this.signatures.slice(from, to) }
  }

  /** Restores strings under their numbers, from `from` on, with no uses yet (snapshots). */
  restore(from: number, words: StoredWords): void {
    const end = from + words.hashes.length
    this.strings.restore(from, words)
    this.#uses = growArray(this.#uses, end)
    this.signatures = growArray(this.signatures, end)
    this.signatures.set(words.signatures, from)
    this.#byLength = undefined
  }

  /** Adds uses to a restored number (snapshots). */
  reuse(number: number, uses: number): void {
    this.#uses[number]! += uses
  }

  /** Adds one use to each of these restored numbers; 0 is skipped (snapshots). */
  reuseAll(numbers: Uint32Array): void {
    const uses = this.#uses
    for (let i = 0; i < numbers.length; i++) uses[numbers[i]!]!++
    uses[0] = 0
  }

  /**
   * Makes strings in use findable and frees all other numbers; call once, after all are restored and their
   * uses counted.
   */
  async reclaim(budget: Breather): Promise<void> {
    this.strings.reserve(this.strings.last)
    const { capacity } = this
    // Highest first, so that the lowest free number is reused first.
    await inStretches(budget, { first: 1, end: capacity, size: numbersPerStep }, (from, to) => {
      for (let number = capacity - from; number > capacity - to; number--)
        if (this.#uses[number]! > 0) this.strings.enlist(number)
        else this.#forget(number)
    })
  }

  /** Estimated size: exact for typed arrays, with an assumed length for strings. */
  get bytes(): number {
    return (
      this.#uses.byteLength +
      this.signatures.byteLength +
      this.strings.bytes(usualLength) +
      (this.#byLength?.bytes ?? 0)
    )
  }

  #add(text: string): number {
    const number = (this.#held ? undefined : this.#free.pop()) ?? this.capacity
    this.strings.set(text, number)
    this.#uses = growArray(this.#uses, number + 1)
    this.signatures = growArray(this.signatures, number + 1)
    this.signatures[number] = signatureOf(text)
    this.#byLength?.add(number, text.length, this.signatures[number]!)
    return number
  }

  #forget(number: number): void {
    this.strings.forget(number)
    this.signatures[number] = 0
    if (++this.#gone * 2 > this.size) this.#byLength = undefined
    this.#free.push(number)
  }
}

/** Sets a bit for every character of a word, its code modulo 32. */
export function signatureOf(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits >>> 0
}

/** Longer terms share one list. */
const longest = 31

/** Terms of one length: their numbers and character signatures (see `signatureOf`). */
class TermsOfLength {
  numbers = new Uint32Array(0)
  signatures = new Uint32Array(0)
  count = 0

  add(number: number, signature: number): void {
    this.numbers = growArray(this.numbers, this.count + 1)
    this.signatures = growArray(this.signatures, this.count + 1)
    this.numbers[this.count] = number
    this.signatures[this.count++] = signature
  }
}

/**
 * The terms of a dictionary by length, since most are too short or too long for a search. Forgotten terms and
 * reused numbers stay in it, so callers must check a term's text.
 */
class TermsByLength {
  readonly #lengths = Array.from({ length: longest + 1 }, () => new TermsOfLength())

  add(number: number, length: number, signature: number): void {
    this.#lengths[Math.min(length, longest)]!.add(number, signature)
  }

  /** Terms of at least this length, grouped by length; `isOpen` marks the last group with all longer ones. */
  *from(length: number): Iterable<{ length: number; isOpen: boolean; terms: TermsOfLength }> {
    for (let i = Math.min(Math.max(length, 0), longest); i <= longest; i++)
      yield { length: i, isOpen: i === longest, terms: this.#lengths[i]! }
  }

  get bytes(): number {
    return this.#lengths.reduce(
      (sum, { numbers, signatures }) => sum + numbers.byteLength + signatures.byteLength,
      0,
    )
  }
}
