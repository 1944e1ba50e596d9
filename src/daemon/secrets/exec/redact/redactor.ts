import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { formsOf } from './encodings.js'
import { buildTrie, isLineBreak, nextState, type PatternTrie } from './pattern-trie.js'

export const mark = '[REDACTED]'
const markBytes = Buffer.from(mark)
/** So many line breaks may stand within a pattern, besides those that a value has in a row itself. */
const fewBreaks = 4

/** Replaces values in text that comes in pieces. */
export interface Redaction {
  /** What is settled by now: the end is held back while it may begin a value. */
  push(chunk: Buffer): Buffer
  /** The rest. */
  end(): Buffer
}

/** Looks for a set of values; made once a command. */
export interface Redactor {
  begin(): Redaction
  /** Of a whole text. */
  text(text: string): string
}

/**
 * Replaces every form of the values (`formsOf`) by `[REDACTED]`, found in bytes, across pieces and line breaks.
 * The time is linear in the output, whatever it is.
 * @param values each tellable from other text (`tellableLength`).
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

/** From the first byte to behind the last one. */
interface Span {
  from: number
  to: number
}

/** Places are counted from the beginning of the whole text. */
class Scan implements Redaction {
  #state = 0
  /** Line breaks since the last other byte. */
  #breaks = 0
  /** The last bytes, those among them that are not settled. */
  #held: Buffer = Buffer.alloc(0)
  #heldFrom = 0
  /** Up to here everything is given out or replaced. */
  #settled = 0
  /** Behind the last byte that a mark stands for: a match that begins before lengthens that mark. */
  #marked = 0
  /** Within what may become a longer match: in their order, none inside another. */
  readonly #found: Span[] = []
  /** Places of the last bytes that were no line breaks, by their number. */
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
      // Most text is far from any value.
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

  /** A match that holds earlier ones takes their place. */
  #find(span: Span): void {
    while ((this.#found.at(-1)?.from ?? -1) >= span.from) this.#found.pop()
    this.#found.push(span)
  }

  /** Marks what no longer match can begin before. */
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

  /** Where a match that is not complete yet began. */
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
