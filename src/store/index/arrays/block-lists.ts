import { growArray } from './growable.js'

const chunkBits = 16
const chunkWords = 1 << chunkBits
const chunkMask = chunkWords - 1
const headerWords = 2
const largestClass = 8
const noWords = new Uint32Array(0)

/** Words of a block of this size class: 4, 8, ... 1024, including its header. */
const classWords = (sizeClass: number) => 4 << sizeClass
/** The largest size class that fits into this many words. */
const classOf = (words: number) => 29 - Math.clz32(words)

/**
 * Many lists of unsigned 32-bit numbers in one arena of fixed chunks. A list is a chain of blocks that double
 * in size; growing one never moves another, and freed blocks are reused, so nothing needs compaction. Lists
 * are unordered: removing an entry moves the last one into the gap. A block is [next block, room << 16 |
 * entries, entries...]; block 0 means none.
 */
export class BlockLists {
  /** Allocated with the first entry: an empty index has dozens of unused lists. */
  #chunks: Uint32Array[] = []
  #end = 4
  #free: number[] = new Array(largestClass + 1).fill(0)
  #heads = new Uint32Array(64)
  #tails = new Uint32Array(64)
  #sizes = new Uint32Array(64)

  /** Number of entries; 0 for an unused list. */
  size(list: number): number {
    return list < this.#sizes.length ? this.#sizes[list]! : 0
  }

  /** First block of a list, 0 when empty. Iterate with `next`, `words`, `start` and `end`. */
  first(list: number): number {
    return list < this.#heads.length ? this.#heads[list]! : 0
  }

  next(block: number): number {
    return this.words(block)[block & chunkMask]!
  }

  /** The chunk of a block; the block's entries are from `start` to before `end`. */
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
    this.reserve(list + 1)
    let tail = this.#tails[list]!
    if (tail === 0 || this.#isFull(tail)) tail = this.#extend(list, tail)
    const words = this.words(tail)
    const at = tail & chunkMask
    words[at + headerWords + (words[at + 1]! & 0xffff)] = value
    words[at + 1]!++
    this.#sizes[list]!++
  }

  /** Fills an empty list with as few and as small blocks as possible (snapshots). */
  assign(list: number, values: Uint32Array): void {
    this.reserve(list + 1)
    for (let at = 0; at < values.length; ) {
      const part = values.subarray(at, at + classWords(largestClass) - headerWords)
      const words = Math.max(classWords(0), part.length + headerWords)
      const block = this.#link(list, this.#tails[list]!, this.#carve(words), words)
      this.words(block)[this.start(block) - 1]! |= part.length
      this.words(block).set(part, this.start(block))
      at += part.length
    }
    this.#sizes[list]! = values.length
  }

  /**
   * Removes the only entry whose upper bits (`entry >>> shift`) equal `key`.
   * @returns the removed entry, or undefined if there was none.
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

  /** Removes entries whose upper bits (`entry >>> shift`) are marked with 1. */
  removeMarked(list: number, marks: Uint8Array, shift: number): void {
    if (!this.#hasMarked(list, marks, shift)) return
    const values = this.values(list)
    let kept = 0
    // A plain loop: a callback per entry of a long list would block the event loop.
    for (let i = 0; i < values.length; i++) if (marks[values[i]! >>> shift] !== 1) values[kept++] = values[i]!
    this.clear(list)
    this.assign(list, values.subarray(0, kept))
  }

  /** A copy of the entries in storage order. */
  values(list: number): Uint32Array {
    const values = new Uint32Array(this.size(list))
    let at = 0
    for (let block = this.first(list); block !== 0; block = this.next(block)) {
      const words = this.words(block)
      const end = this.end(block)
      for (let i = this.start(block); i < end; i++) values[at++] = words[i]!
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

  /** Makes room for list numbers below `lists`. */
  reserve(lists: number): void {
    if (lists <= this.#heads.length) return
    this.#heads = growArray(this.#heads, lists)
    this.#tails = growArray(this.#tails, lists)
    this.#sizes = growArray(this.#sizes, lists)
  }

  /** Arrays with one number per list; together with the chunks they are the whole state (snapshots). */
  get ofLists(): readonly Uint32Array[] {
    return [this.#heads, this.#tails, this.#sizes]
  }

  /** One more than the highest non-empty list. */
  get listEnd(): number {
    let end = this.#sizes.length
    while (end > 0 && this.#sizes[end - 1] === 0) end--
    return end
  }

  get chunks(): number {
    return this.#chunks.length
  }

  /** Copies the used words of some chunks and releases the chunks (snapshots). */
  takeChunks(first: number, count: number): Uint8Array {
    const taken = this.#chunks.slice(first, first + count)
    const isLast = first + count >= this.#chunks.length
    const words = isLast ? this.#end - (first << chunkBits) : count << chunkBits
    const copy = new Uint32Array(Math.max(taken.length << chunkBits, words))
    for (const [i, chunk] of taken.entries()) copy.set(chunk, i << chunkBits)
    this.#chunks.fill(noWords, first, first + count)
    return new Uint8Array(copy.buffer, 0, words * copy.BYTES_PER_ELEMENT)
  }

  /** Allocates room for the words of chunks; call in order and before anything else (snapshots). */
  restoreChunks(first: number, words: number): Uint32Array {
    const room = new Uint32Array(Math.ceil(words / chunkWords) << chunkBits)
    this.#chunks.length = first
    for (let at = 0; at < room.length; at += chunkWords) this.#chunks.push(room.subarray(at, at + chunkWords))
    this.#end = (first << chunkBits) + words
    return room.subarray(0, words)
  }

  get bytes(): number {
    return this.#chunks.length * chunkWords * 4 + this.#heads.byteLength * 3
  }

  #hasMarked(list: number, marks: Uint8Array, shift: number): boolean {
    for (let block = this.first(list); block !== 0; block = this.next(block)) {
      const words = this.words(block)
      const end = this.end(block)
      for (let i = this.start(block); i < end; i++) if (marks[words[i]! >>> shift] === 1) return true
    }
    return false
  }

  #isFull(block: number): boolean {
    const header = this.words(block)[(block & chunkMask) + 1]!
    return (header & 0xffff) === header >>> 16
  }

  #extend(list: number, tail: number): number {
    const tailClass = tail === 0 ? -1 : classOf(this.#wordsOf(tail))
    const sizeClass = Math.min(tailClass + 1, largestClass)
    return this.#link(list, tail, this.#allocate(sizeClass), classWords(sizeClass))
  }

  /** Words of a block, including its header. */
  #wordsOf(block: number): number {
    return (this.words(block)[(block & chunkMask) + 1]! >>> 16) + headerWords
  }

  /** Appends a new block of this many words to a list whose last block is `tail`. */
  #link(list: number, tail: number, block: number, words: number): number {
    const chunk = this.words(block)
    chunk[block & chunkMask] = 0
    chunk[(block & chunkMask) + 1] = (words - headerWords) << 16
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
    const block = this.#free[sizeClass]!
    if (block === 0) return this.#carve(classWords(sizeClass))
    this.#free[sizeClass] = this.next(block)
    return block
  }

  #carve(words: number): number {
    const room = chunkWords - (this.#end & chunkMask)
    if (this.#chunks.length === 0) this.#chunks.push(new Uint32Array(chunkWords))
    else if ((this.#end & chunkMask) === 0 || room < words) {
      this.#end = this.#chunks.length << chunkBits
      this.#chunks.push(new Uint32Array(chunkWords))
    }
    const block = this.#end >>> 0
    this.#end = block + words
    return block
  }

  #release(block: number): void {
    const sizeClass = classOf(this.#wordsOf(block))
    this.words(block)[block & chunkMask] = this.#free[sizeClass]!
    this.#free[sizeClass] = block
  }
}
