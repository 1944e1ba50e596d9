import { type DumpLine, mayBeDump, readDumpLine } from './dump-lines.js'
import { Matcher, type Span } from './matcher.js'
import { isLineBreak, type PatternTrie } from './pattern-trie.js'
import { mark, type Redaction } from './redaction.js'

const newline = 10
/** Longer lines are none of a dump. */
const longestLine = 4096

/** A line of a dump that is not given out yet. */
interface Held {
  text: Buffer
  address: Buffer
  /** Behind its last byte in all that dumps showed. */
  to: number
  isHidden: boolean
}

/**
 * Replaces lines of dumps that show a part of a value, and hands on all others as they are: between the parts of one stand
 * addresses and characters.
 */
export class DumpScan implements Redaction {
  /** The beginning of a line that may be of a dump. */
  #open: Buffer = Buffer.alloc(0)
  /** In the midst of a line that is of none. */
  #isOther = false
  /** Within what may become a value. */
  readonly #held: Held[] = []
  #shown = 0
  /** Where the last value began. */
  #hiddenFrom = 0
  readonly #matcher: Matcher

  constructor(
    trie: PatternTrie,
    readonly next: Redaction,
  ) {
    this.#matcher = new Matcher(trie)
  }

  push(chunk: Buffer): Buffer {
    return this.next.push(this.#read(chunk))
  }

  end(): Buffer {
    const line = this.#open
    const dumped = readDumpLine(line)
    const out = dumped ? [...this.#take(line, dumped), ...this.#letGo()] : [...this.#letGo(), line]
    return Buffer.concat([this.next.push(Buffer.concat(out)), this.next.end()])
  }

  #read(chunk: Buffer): Buffer {
    const text = this.#open.length === 0 ? chunk : Buffer.concat([this.#open, chunk])
    this.#open = text.subarray(0, 0)
    const out: Buffer[] = []
    // What is handed on as it is.
    let from = 0
    for (let at = 0, end = 0; at < text.length; at = end) {
      const found = text.indexOf(newline, at)
      end = found < 0 ? text.length : found + 1
      const isWhole = found >= 0
      const line = text.subarray(at, end)
      const isShort = !this.#isOther && line.length <= longestLine
      const dumped = isShort && isWhole ? readDumpLine(line) : undefined
      if (dumped) out.push(text.subarray(from, at), ...this.#take(line, dumped))
      else if (isShort && !isWhole && mayBeDump(line)) {
        out.push(text.subarray(from, at))
        this.#open = line
      } else {
        if (this.#held.length > 0) out.push(...this.#letGo())
        this.#isOther = !isWhole
        continue
      }
      from = end
    }
    out.push(text.subarray(from))
    return out.length === 1 ? (out[0] as Buffer) : Buffer.concat(out)
  }

  /** @returns the lines that can't be of a value any more. */
  #take(text: Buffer, { address, bytes }: DumpLine): Buffer[] {
    this.#held.push({ text, address, to: this.#shown + bytes.length, isHidden: false })
    for (const byte of bytes) {
      const place = this.#shown++
      if (this.#matcher.isWithin && isLineBreak(byte)) continue
      const value = this.#matcher.read(byte, place)
      if (value) this.#hide(value)
    }
    const earliest = this.#matcher.earliest()
    const settled = this.#held.findIndex(({ to }) => to > earliest)
    return this.#held.splice(0, settled < 0 ? this.#held.length : settled).map(shownAs)
  }

  #hide({ from }: Span): void {
    for (let at = this.#held.length - 1; at >= 0; at--) {
      const line = this.#held[at] as Held
      // Those before it, too, since the last value.
      if (line.to <= from || (line.isHidden && from >= this.#hiddenFrom)) break
      line.isHidden = true
    }
    this.#hiddenFrom = from
  }

  /** Another line ends a dump. */
  #letGo(): Buffer[] {
    this.#matcher.reset()
    return this.#held.splice(0).map(shownAs)
  }
}

function shownAs({ text, address, isHidden }: Held): Buffer {
  if (!isHidden) return text
  return Buffer.concat([address, Buffer.from(text.at(-1) === newline ? `${mark}\n` : mark)])
}
