import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { formsOf } from './encodings.js'
import { buildTrie, isLineBreak, nextState, type PatternTrie } from './pattern-trie.js'

export const mark = '[REDACTED]'
const markBytes = Buffer.from(mark)
/** Line breaks allowed within a pattern, besides the longest run of them in a value. */
const fewBreaks = 4

/** Replaces values in text that arrives in chunks. */
export interface Redaction {
  /** Returns the settled text; the end is held back while it may begin a value. */
  push(chunk: Buffer): Buffer
  /** Returns the remaining text. */
  end(): Buffer
}

/** Searches for a set of values; created once per command. */
export interface Redactor {
  begin(): Redaction
  /** Redacts a whole text. */
  text(text: string): string
}

/**
 * Replaces every form of the values (`formsOf`) with `[REDACTED]`, across chunks and line breaks. The time is
 * linear in the length of the output.
 * @param values each with at least `shortestSecret` maskable characters
 */
export async function createRedactor(values: readonly string[]): Promise<Redactor> {
  const patterns = [...new Set(values.flatMap(formsOf))].map(form => Buffer.from(form))
  const trie = await inSlices(buildTrie(patterns))
  const breaks = Math.max(fewBreaks, ...values.map(longestBreak))
  const begin = (): Redaction => new Scan(trie, breaks)
  return {
    begin,
    text: text => {
      const redaction = begin()
      return Buffer.concat([redaction.push(Buffer.from(text)), redaction.end()]).toString()
    },
  }
}

function longestBreak(value: string): number {
  return Math.max(0, ...[...value.matchAll(/[\r\n]+/gu)].map(([run]) => run.length))
}

/** Offsets from the first byte to the one after the last. */
interface Span {
  from: number
  to: number
}

/** Offsets count from the beginning of the whole text. */
class Scan implements Redaction {
  #state = 0
  /** Line breaks since the last other byte. */
  #breaks = 0
  /** The latest bytes, with those not yet settled. */
  #held: Buffer = Buffer.alloc(0)
  #heldFrom = 0
  /** Everything before this offset is emitted or replaced. */
  #settled = 0
  /** The end of the last mark; a match that begins before it extends that mark. */
  #marked = 0
  /** Matches within a possibly longer match, in order and not nested. */
  readonly #found: Span[] = []
  /** A ring buffer with the offsets of the latest bytes other than line breaks. */
  readonly #places: Float64Array
  #count = 0
  #out: Buffer[] = []

  constructor(
    readonly trie: PatternTrie,
    readonly maxBreaks: number,
  ) {
    this.#places = new Float64Array(2 ** Math.ceil(Math.log2(trie.longest + 1)))
  }

  push(chunk: Buffer): Buffer {
    const start = this.#heldFrom + this.#held.length
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const { root } = this.trie
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      // Fast path: most text is far from any value.
      if (this.#state === 0 && root[byte] === 0) continue
      this.#read(byte, start + at)
    }
    this.#giveOut(Math.min(this.#earliest(), start + chunk.length))
    return this.#taken()
  }

  end(): Buffer {
    this.#state = 0
    this.#settleFound()
    this.#giveOut(this.#heldFrom + this.#held.length)
    return this.#taken()
  }

  #read(byte: number, place: number): void {
    if (this.#state !== 0 && isLineBreak(byte)) {
      this.#breaks++
      if (this.#breaks <= this.maxBreaks) return
      this.#state = 0
      this.#settleFound()
      return
    }
    this.#breaks = 0
    this.#state = nextState(this.trie, this.#state, byte)
    this.#places[this.#count++ & (this.#places.length - 1)] = place
    const length = this.trie.match[this.#state] as number
    if (length > 0) this.#find({ from: this.#placeBefore(length), to: place + 1 })
    if (this.#found.length > 0) this.#settleFound()
  }

  /** A match replaces earlier ones that it contains. */
  #find(span: Span): void {
    while ((this.#found.at(-1)?.from ?? -1) >= span.from) this.#found.pop()
    this.#found.push(span)
  }

  /** Marks matches that no pending match can precede. */
  #settleFound(): void {
    const earliest = this.#earliest()
    for (let span = this.#found[0]; span !== undefined && span.from <= earliest; span = this.#found[0]) {
      const { from, to } = span
      this.#found.shift()
      if (from >= this.#marked) {
        this.#giveOut(from)
        this.#out.push(markBytes)
      }
      this.#marked = to
      this.#settled = to
    }
  }

  /** Returns where the pending, incomplete match began. */
  #earliest(): number {
    const depth = this.trie.depth[this.#state] as number
    return depth === 0 ? Number.POSITIVE_INFINITY : this.#placeBefore(depth)
  }

  #placeBefore(length: number): number {
    return this.#places[(this.#count - length) & (this.#places.length - 1)] as number
  }

  #giveOut(to: number): void {
    if (to <= this.#settled) return
    this.#out.push(this.#held.subarray(this.#settled - this.#heldFrom, to - this.#heldFrom))
    this.#settled = to
  }

  #taken(): Buffer {
    const out = this.#out
    this.#out = []
    this.#held = this.#held.subarray(this.#settled - this.#heldFrom)
    this.#heldFrom = this.#settled
    return out.length === 1 ? (out[0] as Buffer) : Buffer.concat(out)
  }
}
