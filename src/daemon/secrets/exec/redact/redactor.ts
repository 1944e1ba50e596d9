import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { formsOf } from './encodings.js'

/** Encoders break long texts into lines, so patterns match across line breaks. */
const isLineBreak = (byte: number): boolean => byte === 10 || byte === 13

/**
 * Patterns as an Aho-Corasick automaton. A state is the longest suffix read so far that begins a pattern; 0
 * is the empty one. A state's first child has the next number, its other children follow by `sibling`.
 */
interface PatternTrie {
  /** The byte that leads to each state. */
  label: Uint8Array
  hasChild: Uint8Array
  sibling: Int32Array
  /** The state to continue from when no child matches the next byte. */
  fail: Int32Array
  depth: Int32Array
  /** Length of the longest pattern that ends in each state, 0 for none. */
  match: Int32Array
  /** The state of each first byte. */
  root: Int32Array
  longest: number
}

/** States created between two pauses. */
const statesAtOnce = 8192

/**
 * Builds the automaton of the patterns without their line breaks.
 * @returns a generator that pauses regularly, because a text of many kilobytes has millions of states
 */
function* buildTrie(patterns: readonly Buffer[]): Generator<undefined, PatternTrie> {
  const texts = patterns.map(pattern => pattern.filter(byte => !isLineBreak(byte)))
  // Longest first, so that prefixes come later and a first child always follows its parent.
  texts.sort((a, b) => b.length - a.length)
  const trie = emptyTrie(texts.reduce((sum, { length }) => sum + length, 1))
  const size = { states: 1 }
  let doneBytes = 0
  for (const text of texts) {
    insert(trie, text, size)
    doneBytes += text.length
    if (doneBytes < statesAtOnce) continue
    doneBytes = 0
    yield
  }
  yield* linkFailures(trie, size.states)
  return trie
}

function emptyTrie(states: number): PatternTrie {
  return {
    // One extra entry, because the entry after a state is read before its `hasChild` flag.
    label: new Uint8Array(states + 1),
    hasChild: new Uint8Array(states + 1),
    sibling: new Int32Array(states),
    fail: new Int32Array(states),
    depth: new Int32Array(states),
    match: new Int32Array(states),
    root: new Int32Array(256),
    longest: 0,
  }
}

function insert(trie: PatternTrie, text: Uint8Array, size: { states: number }): void {
  if (text.length === 0) return
  let state = 0
  for (const byte of text) state = childOf(trie, state, byte) || addChild(trie, state, byte, size)
  trie.match[state] = text.length
  trie.longest = Math.max(trie.longest, text.length)
}

/** Returns the child state, 0 for none. */
function childOf({ root, hasChild, label, sibling }: PatternTrie, state: number, byte: number): number {
  if (state === 0) return root[byte] as number
  if (!hasChild[state]) return 0
  let child = state + 1
  while (child !== 0 && label[child] !== byte) child = sibling[child] as number
  return child
}

function addChild(trie: PatternTrie, state: number, byte: number, size: { states: number }): number {
  const child = size.states++
  const { root, hasChild, label, sibling, depth } = trie
  if (state === 0) root[byte] = child
  else if (hasChild[state]) {
    sibling[child] = sibling[state + 1] as number
    sibling[state + 1] = child
  } else hasChild[state] = 1
  label[child] = byte
  depth[child] = (depth[state] as number) + 1
  return child
}

/** Returns the state after one more byte. */
function nextState(trie: PatternTrie, state: number, byte: number): number {
  for (let from = state; from !== 0; from = trie.fail[from] as number) {
    const child = childOf(trie, from, byte)
    if (child !== 0) return child
  }
  return trie.root[byte] as number
}

/** Breadth first, because a state's failure link points to a shallower state. */
function* linkFailures(trie: PatternTrie, states: number): Generator<undefined, void> {
  const { root, hasChild, sibling, label, fail, match } = trie
  const queue = new Int32Array(states)
  let end = 0
  for (const first of root) if (first !== 0) queue[end++] = first
  for (let at = 0; at < end; at++) {
    const state = queue[at] as number
    if (match[state] === 0) match[state] = match[fail[state] as number] as number
    for (let child = hasChild[state] ? state + 1 : 0; child !== 0; child = sibling[child] as number) {
      fail[child] = nextState(trie, fail[state] as number, label[child] as number)
      queue[end++] = child
    }
    if (at % statesAtOnce === 0) yield
  }
}

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
