import { type Breather, inStretches } from '../../../lib/concurrency/loop-budget.js'
import { grown } from '../arrays/growable.js'
import type { StoredStrings } from '../arrays/packed-strings.js'
import { StringNumbers } from '../arrays/string-numbers.js'

/** What a snapshot holds of some numbers of a dictionary. */
export interface StoredWords extends StoredStrings {
  signatures: Uint32Array
}

const numbersPerStep = 10_000
/** Of a usual word, in characters. */
const usualLength = 16

/**
 * Strings as small numbers, counted by use: a string that nobody uses any more is forgotten and its number given
 * to the next new one. Number 0 means "none".
 */
export class Dictionary {
  readonly strings = new StringNumbers()
  #uses = new Uint32Array(64)
  #free: number[] = []
  #held: number[] | undefined
  /** By number: which characters occur (a 32-bit Bloom filter). Lets a typo search skip most words unread. */
  signatures = new Uint32Array(64)
  /** Made when somebody asks for it, and anew once half of it was forgotten. */
  #byLength: TermsByLength | undefined
  #gone = 0

  /** How many strings are in use. */
  get size(): number {
    return this.strings.size
  }

  /** One more than the highest number ever given. */
  get capacity(): number {
    return this.strings.last + 1
  }

  /** The number of a known string, otherwise 0. */
  get(text: string): number {
    return this.strings.get(text) ?? 0
  }

  /** The string of a number; '' for one that was forgotten. */
  text(number: number): string {
    return this.strings.text(number)
  }

  /** The strings in use by their length, and some that were forgotten. */
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

  /** Counts one use of a string, new or known, and gives its number. */
  retain(text: string): number {
    const number = this.strings.get(text) ?? this.#add(text)
    this.#uses[number]!++
    return number
  }

  /** Takes one use back. */
  release(number: number): void {
    if (number === 0 || --this.#uses[number]! > 0) return
    this.strings.delete(this.text(number))
    if (this.#held) this.#held.push(number)
    else this.#forget(number)
  }

  /**
   * Until `unhold`, no number changes its meaning: forgotten strings stay readable by `text`, and new ones come
   * after all others.
   */
  hold(): void {
    this.#held ??= []
  }

  unhold(): void {
    for (const number of this.#held ?? []) this.#forget(number)
    this.#held = undefined
  }

  /** What belongs to the numbers `from` to before `to` (snapshots). */
  stored(from: number, to: number): StoredWords {
    const numbers = Uint32Array.from({ length: to - from }, (_, i) => from + i)
    return { ...this.strings.stored(numbers), signatures: this.signatures.slice(from, to) }
  }

  /** Puts strings back under the numbers they had, from `from` on, with no use yet (snapshots). */
  restore(from: number, words: StoredWords): void {
    const end = from + words.hashes.length
    this.strings.restore(from, words)
    this.#uses = grown(this.#uses, end)
    this.signatures = grown(this.signatures, end)
    this.signatures.set(words.signatures, from)
    this.#byLength = undefined
  }

  /** Counts so many uses of a restored number (snapshots). */
  reuse(number: number, uses: number): void {
    this.#uses[number]! += uses
  }

  /** Counts one use of each of these restored numbers; 0 stands for none (snapshots). */
  reuseAll(numbers: Uint32Array): void {
    const uses = this.#uses
    for (let i = 0; i < numbers.length; i++) uses[numbers[i]!]!++
    uses[0] = 0
  }

  /**
   * Makes strings that are in use findable and the numbers of all others available again; call once, when all are
   * restored and their uses counted.
   */
  async reclaim(budget: Breather): Promise<void> {
    this.strings.reserve(this.strings.last)
    const { capacity } = this
    // The highest first, so that the lowest of what is free is given first.
    await inStretches(budget, { first: 1, end: capacity, size: numbersPerStep }, (from, to) => {
      for (let number = capacity - from; number > capacity - to; number--)
        if (this.#uses[number]! > 0) this.strings.enlist(number)
        else this.#forget(number)
    })
  }

  /** Estimate: typed arrays exactly, strings by a usual length. */
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
    this.#uses = grown(this.#uses, number + 1)
    this.signatures = grown(this.signatures, number + 1)
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

/** A bit for every character that occurs in a word, by its code modulo 32. */
export function signatureOf(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits >>> 0
}

/** Longer terms stand together. */
const longest = 31

/** Terms of one length: their numbers, and which characters occur in each (see `signatureOf`). */
class TermsOfLength {
  numbers = new Uint32Array(0)
  signatures = new Uint32Array(0)
  count = 0

  add(number: number, signature: number): void {
    this.numbers = grown(this.numbers, this.count + 1)
    this.signatures = grown(this.signatures, this.count + 1)
    this.numbers[this.count] = number
    this.signatures[this.count++] = signature
  }
}

/**
 * The terms of a dictionary by their length, for searches that most of them are too short or too long for. Terms that are
 * forgotten stay in it, and so does what a number meant before: who looks at one reads its text anyway.
 */
class TermsByLength {
  readonly #lengths = Array.from({ length: longest + 1 }, () => new TermsOfLength())

  add(number: number, length: number, signature: number): void {
    this.#lengths[Math.min(length, longest)]!.add(number, signature)
  }

  /** The terms of at least so many characters: of each length by itself, and whether longer ones are among them. */
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
