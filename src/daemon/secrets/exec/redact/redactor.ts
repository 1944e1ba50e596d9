import { inSlices } from '../../../../lib/every-few-ms.js'
import { DumpScan } from './dump-scan.js'
import { formsOf } from './encodings.js'
import { Matcher, type Span } from './matcher.js'
import { buildTrie, isLineBreak, type PatternTrie } from './pattern-trie.js'
import { mark, type Redaction } from './redaction.js'

const markBytes = Buffer.from(mark)
/** So many line breaks may stand within a pattern, besides those that a value has in a row itself. */
const fewBreaks = 4

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
  const begin = (): Redaction => new DumpScan(trie, new Scan(trie, breaks))
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

/** Places are counted from the beginning of the whole text. */
class Scan implements Redaction {
  readonly #matcher: Matcher
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
  #out: Buffer[] = []

  constructor(
    trie: PatternTrie,
    readonly maxBreaks: number,
  ) {
    this.#matcher = new Matcher(trie)
  }

  push(chunk: Buffer): Buffer {
    const start = this.#heldFrom + this.#held.length
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      // Most text is far from any value.
      if (this.#matcher.passes(byte)) continue
      this.#read(byte, start + at)
    }
    this.#giveOut(Math.min(this.#matcher.earliest(), start + chunk.length))
    return this.#taken()
  }

  end(): Buffer {
    this.#matcher.reset()
    this.#settleFound()
    this.#giveOut(this.#heldFrom + this.#held.length)
    return this.#taken()
  }

  #read(byte: number, place: number): void {
    if (this.#matcher.isWithin && isLineBreak(byte)) {
      this.#breaks++
      if (this.#breaks <= this.maxBreaks) return
      this.#matcher.reset()
      this.#settleFound()
      return
    }
    this.#breaks = 0
    const found = this.#matcher.read(byte, place)
    if (found) this.#find(found)
    if (this.#found.length > 0) this.#settleFound()
  }

  /** A match that holds earlier ones takes their place. */
  #find(span: Span): void {
    while ((this.#found.at(-1)?.from ?? -1) >= span.from) this.#found.pop()
    this.#found.push(span)
  }

  /** Marks what no longer match can begin before. */
  #settleFound(): void {
    const earliest = this.#matcher.earliest()
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
