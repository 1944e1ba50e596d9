import { grown } from './growable.js'
import { PackedStrings, type StoredStrings, storeStrings } from './packed-strings.js'

/** Marks a slot whose string was removed: a search for another string goes on past it. */
const removed = 0xffffffff

/**
 * Which string has which number, from 1 on. A `Map` of strings would have to be filled again string by string after
 * each start; this hash table lies in typed arrays, so that a snapshot brings the hashes along.
 */
export class StringNumbers {
  /** The string of number n stands at n - 1; a gap while it is packed. */
  #texts: (string | undefined)[] = []
  #packed = new PackedStrings()
  /** A random seed, so that nobody can choose words that all collide in one slot. */
  seed = Math.floor(Math.random() * 2 ** 32)
  #hashes = new Uint32Array(64)
  #slots = new Uint32Array(128)
  #taken = 0
  #size = 0

  /** Strings that can be found. */
  get size(): number {
    return this.#size
  }

  /** The highest number that was given. */
  get last(): number {
    return this.#texts.length
  }

  /** The string of a number; '' for one that was forgotten. @throws RangeError for a number that none ever had. */
  text(number: number): string {
    const known = this.#texts[number - 1]
    if (known !== undefined) return known
    const text = this.#packed.text(number)
    this.#texts[number - 1] = text
    return text
  }

  /** How long the string of a number is, without making it. */
  lengthOf(number: number): number {
    return this.#texts[number - 1]?.length ?? this.#packed.lengthOf(number)
  }

  /** The number of a string, undefined for an unknown one. */
  get(text: string): number | undefined {
    const number = this.#slots[this.#slotOf(text)]!
    return number === 0 ? undefined : number
  }

  /** Gives an unknown string a number: one that was given before, or the next. */
  set(text: string, number: number): void {
    this.#texts[number - 1] = text
    this.#hashes = grown(this.#hashes, number)
    this.#hashes[number - 1] = hashOf(text, this.seed)
    this.enlist(number)
  }

  /** Forgets the string of a number; it must not be findable any more. */
  forget(number: number): void {
    this.#texts[number - 1] = ''
  }

  /** The string can't be found any more; its number keeps it. */
  delete(text: string): void {
    const slot = this.#slotOf(text)
    if (this.#slots[slot] === 0) return
    this.#slots[slot] = removed
    this.#size--
  }

  /** Makes the string of a number findable, which must be unknown until then. */
  enlist(number: number): void {
    if ((this.#taken + 1) * 2 > this.#slots.length) this.#rehash(this.#size + 1)
    this.#insert(number)
    this.#taken++
    this.#size++
  }

  /** Strings of these numbers (snapshots). */
  stored(numbers: Uint32Array): StoredStrings {
    const texts = Array.from(numbers, number => this.text(number))
    return storeStrings(
      texts,
      numbers.map(number => this.#hashes[number - 1]!),
    )
  }

  /** Puts strings back under the numbers they had, from `from` on; `enlist` makes them findable (snapshots). */
  restore(from: number, stored: StoredStrings): void {
    this.#hashes = grown(this.#hashes, from - 1 + stored.hashes.length)
    this.#hashes.set(stored.hashes, from - 1)
    this.#packed.add(from, stored)
    this.#texts.length += stored.ends.length
  }

  /** Makes room for so many strings. */
  reserve(strings: number): void {
    this.#hashes = grown(this.#hashes, strings)
    if (strings * 2 > this.#slots.length) this.#rehash(strings)
  }

  /** Estimate: arrays exactly, strings as if each had been asked for and had `length` characters. */
  bytes(length: number): number {
    const arrays = this.#hashes.byteLength + this.#slots.byteLength + this.#packed.bytes
    return arrays + this.#texts.length * (32 + length)
  }

  #slotOf(text: string): number {
    const hash = hashOf(text, this.seed)
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]!
      if (number === 0) return slot
      if (number !== removed && this.#hashes[number - 1] === hash && this.text(number) === text) return slot
    }
  }

  #insert(number: number): void {
    const mask = this.#slots.length - 1
    let slot = this.#hashes[number - 1]! & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number
  }

  #rehash(strings: number): void {
    const before = this.#slots
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(64, strings) * 2.5)))
    this.#taken = this.#size
    for (const number of before) if (number !== 0 && number !== removed) this.#insert(number)
  }
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
