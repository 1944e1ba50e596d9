import { grown } from './growable.js'

const chunkBits = 16
const chunkWords = 1 << chunkBits
const chunkMask = chunkWords - 1
const headerWords = 2
const largestClass = 8

/** Words of a block of this size class: 4, 8, ... 1024, its header included. */
const classWords = (sizeClass: number) => 4 << sizeClass

/**
 * Many lists of unsigned 32-bit numbers in one arena of fixed chunks. A list is a chain of blocks that double in
 * size; growing one never moves another, and freed blocks are used again, so nothing has to be compacted. Lists
 * are unordered: removing moves the last entry into the gap.
 *
 * A block is [next block, size class << 16 | entries, entries...]; block 0 means none.
 */
export class BlockLists {
  #chunks: Uint32Array[] = [new Uint32Array(chunkWords)]
  #end = 4
  #free: number[] = new Array(largestClass + 1).fill(0)
  #heads = new Uint32Array(64)
  #tails = new Uint32Array(64)
  #sizes = new Uint32Array(64)

  /** Entries of a list; 0 for one that was never used. */
  size(list: number): number {
    return list < this.#sizes.length ? this.#sizes[list]! : 0
  }

  /** First block of a list, 0 when it is empty. Walk with `next`, `words`, `start` and `end`. */
  first(list: number): number {
    return list < this.#heads.length ? this.#heads[list]! : 0
  }

  next(block: number): number {
    return this.words(block)[block & chunkMask]!
  }

  /** The chunk that holds a block; its entries lie in it from `start` to before `end`. */
  words(block: number): Uint32Array {
    return this.#chunks[block >>> chunkBits]!
  }

  start(block: number): number {
    return (block & chunkMask) + headerWords
  }

  end(block: number): number {
    const at = block & chunkMask
    return at + headerWords + (this.words(block)[at + 1]! & 0xffff)
  }

  append(list: number, value: number): void {
    this.#reserveLists(list)
    let tail = this.#tails[list]!
    if (tail === 0 || this.#isFull(tail)) tail = this.#extend(list, tail)
    const words = this.words(tail)
    const at = tail & chunkMask
    words[at + headerWords + (words[at + 1]! & 0xffff)] = value
    words[at + 1]!++
    this.#sizes[list]!++
  }

  /** Fills an empty list from `values`, `start` to before `end`, in as few blocks as hold them. */
  assign(list: number, values: Uint32Array, start: number, end: number): void {
    this.#reserveLists(list)
    for (let at = start; at < end; ) {
      let sizeClass = 0
      while (sizeClass < largestClass && classWords(sizeClass) - headerWords < end - at) sizeClass++
      const block = this.#link(list, this.#tails[list]!, sizeClass)
      const count = Math.min(end - at, classWords(sizeClass) - headerWords)
      const words = this.words(block)
      const first = this.start(block)
      words[first - 1]! |= count
      for (let i = 0; i < count; i++) words[first + i] = values[at + i]!
      at += count
    }
    this.#sizes[list]! += end - start
  }

  /**
   * Removes the one entry whose upper bits (`entry >>> shift`) equal `key`.
   * @returns the removed entry, or undefined when there is none.
   */
  remove(list: number, key: number, shift: number): number | undefined {
    let beforeTail = 0
    let found: Uint32Array | undefined
    let foundAt = 0
    for (let block = this.first(list); block !== 0; block = this.next(block)) {
      const words = this.words(block)
      const end = this.end(block)
      for (let i = this.start(block); i < end && !found; i++) {
        if (words[i]! >>> shift !== key) continue
        found = words
        foundAt = i
      }
      if (block !== this.#tails[list]) beforeTail = block
    }
    if (!found) return undefined
    const removed = found[foundAt]!
    found[foundAt] = this.#popLast(list, beforeTail)
    return removed
  }

  /** A copy of the entries, in the order they are stored. */
  values(list: number): Uint32Array {
    const values = new Uint32Array(this.size(list))
    let at = 0
    for (let block = this.first(list); block !== 0; block = this.next(block)) {
      const entries = this.words(block).subarray(this.start(block), this.end(block))
      values.set(entries, at)
      at += entries.length
    }
    return values
  }

  clear(list: number): void {
    let block = this.first(list)
    while (block !== 0) {
      const next = this.next(block)
      this.#release(block)
      block = next
    }
    if (list >= this.#heads.length) return
    this.#heads[list] = 0
    this.#tails[list] = 0
    this.#sizes[list] = 0
  }

  get bytes(): number {
    return this.#chunks.length * chunkWords * 4 + this.#heads.byteLength * 3
  }

  #reserveLists(list: number): void {
    if (list < this.#heads.length) return
    this.#heads = grown(this.#heads, list + 1)
    this.#tails = grown(this.#tails, list + 1)
    this.#sizes = grown(this.#sizes, list + 1)
  }

  #isFull(block: number): boolean {
    const header = this.words(block)[(block & chunkMask) + 1]!
    return (header & 0xffff) === classWords(header >>> 16) - headerWords
  }

  #extend(list: number, tail: number): number {
    const tailClass = tail === 0 ? -1 : this.words(tail)[(tail & chunkMask) + 1]! >>> 16
    return this.#link(list, tail, Math.min(tailClass + 1, largestClass))
  }

  /** Appends an empty block to a list whose last block is `tail`. */
  #link(list: number, tail: number, sizeClass: number): number {
    const block = this.#allocate(sizeClass)
    if (tail === 0) this.#heads[list] = block
    else this.words(tail)[tail & chunkMask] = block
    this.#tails[list] = block
    return block
  }

  #popLast(list: number, beforeTail: number): number {
    const tail = this.#tails[list]!
    const words = this.words(tail)
    const at = tail & chunkMask
    const last = words[this.end(tail) - 1]!
    words[at + 1]!--
    this.#sizes[list]!--
    if ((words[at + 1]! & 0xffff) > 0) return last
    this.#release(tail)
    this.#tails[list] = beforeTail
    if (beforeTail === 0) this.#heads[list] = 0
    else this.words(beforeTail)[beforeTail & chunkMask] = 0
    return last
  }

  #allocate(sizeClass: number): number {
    let block = this.#free[sizeClass]!
    if (block !== 0) this.#free[sizeClass] = this.next(block)
    else block = this.#carve(classWords(sizeClass))
    const words = this.words(block)
    words[block & chunkMask] = 0
    words[(block & chunkMask) + 1] = sizeClass << 16
    return block
  }

  #carve(words: number): number {
    const room = chunkWords - (this.#end & chunkMask)
    if ((this.#end & chunkMask) === 0 || room < words) {
      this.#end = this.#chunks.length << chunkBits
      this.#chunks.push(new Uint32Array(chunkWords))
    }
    const block = this.#end >>> 0
    this.#end = block + words
    return block
  }

  #release(block: number): void {
    const words = this.words(block)
    const at = block & chunkMask
    const sizeClass = words[at + 1]! >>> 16
    words[at] = this.#free[sizeClass]!
    this.#free[sizeClass] = block
  }
}
