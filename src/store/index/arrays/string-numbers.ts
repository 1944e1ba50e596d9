import { growArray } from './growable.js'

/** Marks the slot of a removed string; searches for other strings continue past it. */
const removed = 0xffffffff

/** Strings of a snapshot: all characters in sequence, and the end of each string. */
export interface StoredStrings {
  hashes: Uint32Array
  ends: Uint32Array
  /** One byte per character, or two if any needs it, so that every string is preserved exactly. */
  encoding: 'latin1' | 'utf16le'
  bytes: Buffer
}

/** Numbered strings of a snapshot, decoded on demand. */
class PackedStrings {
  /** In the order of their numbers. */
  #parts: { from: number; stored: StoredStrings }[] = []

  add(from: number, stored: StoredStrings): void {
    this.#parts.push({ from, stored })
  }

  /** @throws RangeError for a number in no part. */
  text(number: number): string {
    const { from, stored } = this.#partOf(number)
    const { ends, encoding, bytes } = stored
    const width = encoding === 'latin1' ? 1 : 2
    const place = number - from
    return bytes.toString(encoding, (ends[place - 1] ?? 0) * width, ends[place]! * width)
  }

  /** Length of a string in characters. @throws RangeError for a number in no part. */
  lengthOf(number: number): number {
    const { from, stored } = this.#partOf(number)
    const place = number - from
    return stored.ends[place]! - (stored.ends[place - 1] ?? 0)
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { stored }) => sum + stored.bytes.length + stored.ends.byteLength, 0)
  }

  #partOf(number: number): { from: number; stored: StoredStrings } {
    let low = 0
    let high = this.#parts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#parts[middle]!.from <= number) low = middle
      else high = middle
    }
    const part = this.#parts[low]
    if (!part || number - part.from >= part.stored.ends.length) throw new RangeError(`no string ${number}`)
    return part
  }
}

/**
 * Maps strings to numbers, from 1 on. After a start a `Map` would have to be refilled string by string; this
 * hash table uses typed arrays, whose hashes are stored in the snapshot.
 */
export class StringNumbers {
  /** String n is at n - 1; undefined while it is packed. */
  #texts: (string | undefined)[] = []
  #packed = new PackedStrings()
  /** A random seed, so that attackers cannot choose words that collide in one slot. */
  seed = Math.floor(Math.random() * 2 ** 32)
  #hashes = new Uint32Array(64)
  #slots = new Uint32Array(128)
  #taken = 0
  #size = 0

  /** Number of strings that can be found. */
  get size(): number {
    return this.#size
  }

  /** The highest number assigned. */
  get last(): number {
    return this.#texts.length
  }

  /** The string of a number; '' if it was forgotten. @throws RangeError for a number never assigned. */
  text(number: number): string {
    const known = this.#texts[number - 1]
    if (known !== undefined) return known
    const text = this.#packed.text(number)
    this.#texts[number - 1] = text
    return text
  }

  /** Length of a number's string, without decoding it. */
  lengthOf(number: number): number {
    return this.#texts[number - 1]?.length ?? this.#packed.lengthOf(number)
  }

  /** The number of a string, or undefined. */
  get(text: string): number | undefined {
    const number = this.#slots[this.#slotOf(text)]!
    return number === 0 ? undefined : number
  }

  /** Assigns a number to an unknown string: one used before, or the next. */
  set(text: string, number: number): void {
    this.#texts[number - 1] = text
    this.#hashes = growArray(this.#hashes, number)
    this.#hashes[number - 1] = hashOf(text, this.seed)
    this.enlist(number)
  }

  /** Forgets the string of a number; call `delete` first. */
  forget(number: number): void {
    this.#texts[number - 1] = ''
  }

  /** Removes the string from the table; its number still maps to it. */
  delete(text: string): void {
    const slot = this.#slotOf(text)
    if (this.#slots[slot] === 0) return
    this.#slots[slot] = removed
    this.#size--
  }

  /** Adds the string of a number to the table, where it must not be yet. */
  enlist(number: number): void {
    if ((this.#taken + 1) * 2 > this.#slots.length) this.#rehash(this.#size + 1)
    this.#insert(number)
    this.#taken++
    this.#size++
  }

  /** Packs the strings of these numbers (snapshots). */
  stored(numbers: Uint32Array): StoredStrings {
    const texts = Array.from(numbers, number => this.text(number))
    return storeStrings(
      texts,
      numbers.map(number => this.#hashes[number - 1]!),
    )
  }

  /** Restores strings under their numbers, from `from` on; `enlist` makes them findable (snapshots). */
  restore(from: number, stored: StoredStrings): void {
    this.#hashes = growArray(this.#hashes, from - 1 + stored.hashes.length)
    this.#hashes.set(stored.hashes, from - 1)
    this.#packed.add(from, stored)
    this.#texts.length += stored.ends.length
  }

  /** Makes room for this many strings. */
  reserve(strings: number): void {
    this.#hashes = growArray(this.#hashes, strings)
    if (strings * 2 > this.#slots.length) this.#rehash(strings)
  }

  /** Estimated size: exact for arrays; strings as if all were decoded with `length` characters. */
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

function storeStrings(texts: readonly string[], hashes: Uint32Array): StoredStrings {
  const all = texts.join('')
  const encoding = /[^\0-\xff]/.test(all) ? 'utf16le' : 'latin1'
  let end = 0
  const ends = Uint32Array.from(texts, text => {
    end += text.length
    return end
  })
  return { hashes, ends, encoding, bytes: Buffer.from(all, encoding) }
}
