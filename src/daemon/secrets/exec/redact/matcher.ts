import { nextState, type PatternTrie } from './pattern-trie.js'

/** From the first byte to behind the last one. */
export interface Span {
  from: number
  to: number
}

/** Finds patterns in bytes that come one after the other, each with its place. */
export class Matcher {
  #state = 0
  /** Places of the last bytes, by their number. */
  readonly #places: Float64Array
  #count = 0

  constructor(readonly trie: PatternTrie) {
    this.#places = new Float64Array(2 ** Math.ceil(Math.log2(trie.longest + 1)))
  }

  /** Whether the last bytes begin a pattern. */
  get isWithin(): boolean {
    return this.#state !== 0
  }

  /** Whether a byte, as most, neither goes on with a pattern nor begins one. */
  passes(byte: number): boolean {
    return this.#state === 0 && this.trie.root[byte] === 0
  }

  /** @returns the longest pattern that ends with the byte. */
  read(byte: number, place: number): Span | undefined {
    this.#state = nextState(this.trie, this.#state, byte)
    this.#places[this.#count++ & (this.#places.length - 1)] = place
    const length = this.trie.match[this.#state] as number
    return length > 0 ? { from: this.#placeBefore(length), to: place + 1 } : undefined
  }

  /** Where a match that is not complete yet began. */
  earliest(): number {
    const depth = this.trie.depth[this.#state] as number
    return depth === 0 ? Number.POSITIVE_INFINITY : this.#placeBefore(depth)
  }

  /** What comes next does not go on with what was read. */
  reset(): void {
    this.#state = 0
  }

  #placeBefore(length: number): number {
    return this.#places[(this.#count - length) & (this.#places.length - 1)] as number
  }
}
