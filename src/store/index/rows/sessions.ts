import { inStretches, type LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { growArray } from '../arrays/growable.js'
import { type Bm25, frequencyBits, idf, maxFrequency, type TextField } from '../words/text-field.js'
import type { NumberColumn, RowColumns, ValueColumn } from './columns.js'
import type { RowIds } from './row-ids.js'

const rowsPerSlice = 10_000

/**
 * The rows of many sessions in one array, sorted by session: fast to build, and taken out session by session.
 */
class PackedSessions {
  #rows = new Uint32Array(0)
  /** By session: the end of its rows, and how many remain. */
  #ends = new Uint32Array(0)
  #sizes = new Uint32Array(0)
  /** Number of sessions at the beginning. */
  count = 0

  /** @param key the column with a row's session. */
  static async of(
    { numbers, values }: ValueColumn,
    columns: RowColumns,
    budget: LoopBudget,
  ): Promise<PackedSessions> {
    const sizes = new Uint32Array(values.capacity)
    const packed = new PackedSessions()
    const all = { first: 1, end: columns.end, size: rowsPerSlice }
    await inStretches(budget, all, (from, to) => {
      for (let row = from; row < to; row++) sizes[numbers[row]!]!++
    })
    // Number 0 means no session.
    sizes[0] = 0
    const ends = new Uint32Array(sizes.length)
    for (let session = 1; session < sizes.length; session++) {
      ends[session] = ends[session - 1]! + sizes[session - 1]!
      if (sizes[session]! > 0) packed.count++
    }
    const rows = new Uint32Array(columns.count)
    await inStretches(budget, all, (from, to) => {
      for (let row = from; row < to; row++) if (numbers[row] !== 0) rows[ends[numbers[row]!]!++] = row
    })
    packed.#rows = rows
    packed.#ends = ends
    packed.#sizes = sizes
    return packed
  }

  /** Takes the rows of a session, lowest row first; undefined if there are none left. */
  take(session: number): number[] | undefined {
    const size = this.#sizes[session] ?? 0
    if (size === 0) return undefined
    this.#sizes[session] = 0
    const end = this.#ends[session]!
    return Array.from(this.#rows.subarray(end - size, end))
  }
}

const rowsPerStep = 2000

/** The sessions scored by one search. */
export class WantedSessions {
  readonly numbers: readonly number[]
  readonly marks: Uint8Array
  readonly scores: Float64Array

  /** @param capacity one more than the highest session number. */
  constructor(numbers: Iterable<number>, capacity: number) {
    this.numbers = [...numbers]
    this.scores = new Float64Array(this.numbers.length)
    this.marks = new Uint8Array(capacity)
    for (const number of this.numbers) this.marks[number] = 1
  }

  /** The sessions of found rows, in their order. */
  static of({ by }: Sessions, channels: readonly { rows: Uint32Array }[]): WantedSessions {
    const { numbers, values } = by.key
    const ofHits = new Set<number>()
    for (const { rows } of channels) for (let i = 0; i < rows.length; i++) ofHits.add(numbers[rows[i]!] ?? 0)
    ofHits.delete(0)
    return new WantedSessions(ofHits, values.capacity)
  }
}

/**
 * Rows that share a session, in time order, with BM25 over whole sessions as if each were one text.
 * Frequencies are summed from row postings while scoring, which avoids a second set of counts.
 */
export class Sessions {
  /** By session, in time order. */
  #rows = new Map<number, number[]>()
  /** Sessions of a snapshot not accessed yet, unordered. */
  #packed = new PackedSessions()
  #size = 0
  #lengths = new Float64Array(64)
  #totalLength = 0
  #seenBy = new Uint32Array(64)
  #frequencies = new Float64Array(64)
  #stamp = 0

  /** @param by the columns with a row's session and time. */
  constructor(
    readonly by: { key: ValueColumn; time: NumberColumn },
    readonly columns: RowColumns,
    readonly content: TextField,
    readonly ids: RowIds,
  ) {}

  /** Call after the row's session, time, id and content are set. */
  add(row: number): void {
    const session = this.#sessionOf(row)
    if (session === 0) return
    const rows = this.#rowsOf(session)
    if (rows) rows.splice(this.placeAmong(rows, row), 0, row)
    else {
      this.#rows.set(session, [row])
      this.#size++
    }
    this.#reserve(session + 1)
    this.#addLength(session, this.content.lengths[row]!)
  }

  /** Call before the row's session, time, id and content are cleared. */
  remove(row: number): void {
    const session = this.#sessionOf(row)
    const rows = this.#rowsOf(session)
    if (!rows) return
    rows.splice(this.placeAmong(rows, row), 1)
    if (rows.length === 0) {
      this.#rows.delete(session)
      this.#size--
    }
    this.#addLength(session, -this.content.lengths[row]!)
  }

  /** Adds all rows at once to an empty instance (snapshots). */
  async restore(budget: LoopBudget): Promise<void> {
    const { columns, content } = this
    const { numbers, values } = this.by.key
    this.#reserve(values.capacity)
    this.#packed = await PackedSessions.of(this.by.key, columns, budget)
    this.#size = this.#packed.count
    await inStretches(budget, { first: 1, end: columns.end, size: rowsPerStep }, (from, to) => {
      for (let row = from; row < to; row++)
        if (numbers[row] !== 0) this.#addLength(numbers[row]!, content.lengths[row]!)
    })
  }

  /** The rows of its session in time order; undefined outside sessions. */
  matesOf(row: number): readonly number[] | undefined {
    return this.#rowsOf(this.#sessionOf(row))
  }

  /** The row's actual or future position among the rows of its session. */
  placeAmong(rows: readonly number[], row: number): number {
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(rows[middle]!, row)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** @returns the mean length of rows in its session, in terms; the row's own outside sessions */
  meanLength(row: number, mates: readonly number[] | undefined): number {
    return mates ? this.#lengths[this.#sessionOf(row)]! / mates.length : this.content.lengths[row]!
  }

  /** Number of sessions, and their lengths together. */
  get totals(): SessionTotals {
    return { size: this.#size, totalLength: this.#totalLength }
  }

  /** Length of a session in terms. */
  lengthOf(session: number): number {
    return this.#lengths[session]!
  }

  /**
   * Counts a term in the wanted sessions, in rows of `allowed` only; the number of sessions with the term
   * covers all rows.
   */
  count(term: number, allowed: Uint8Array, wanted: WantedSessions): SessionCounts {
    const holding = this.#count(term, allowed, wanted)
    const frequencies = this.#frequencies
    const found = new Float64Array(wanted.numbers.length)
    for (const [i, session] of wanted.numbers.entries()) {
      found[i] = frequencies[session]!
      frequencies[session] = 0
    }
    return { holding, frequencies: found }
  }

  get bytes(): number {
    return this.#lengths.byteLength * 3 + this.columns.count * 8 + this.#size * 64
  }

  /**
   * Fills `#frequencies` for the wanted sessions; the caller clears them. @returns the number of sessions
   * with the term
   */
  #count(term: number, allowed: Uint8Array, { marks }: WantedSessions): number {
    const { postings } = this.content
    const { numbers } = this.by.key
    const seenBy = this.#seenBy
    const frequencies = this.#frequencies
    const stamp = ++this.#stamp
    let holding = 0
    for (let block = postings.first(term); block !== 0; block = postings.next(block)) {
      const words = postings.words(block)
      const end = postings.end(block)
      for (let i = postings.start(block); i < end; i++) {
        const posting = words[i]!
        const row = posting >>> frequencyBits
        const session = numbers[row]!
        if (session === 0) continue
        if (seenBy[session] !== stamp) {
          seenBy[session] = stamp
          holding++
        }
        if (marks[session] === 1 && allowed[row] === 1) frequencies[session]! += posting & maxFrequency
      }
    }
    return holding
  }

  #rowsOf(session: number): number[] | undefined {
    const known = this.#rows.get(session)
    if (known) return known
    const rows = this.#packed.take(session)
    if (!rows) return undefined
    rows.sort((a, b) => (this.#isBefore(a, b) ? -1 : 1))
    this.#rows.set(session, rows)
    return rows
  }

  #sessionOf(row: number): number {
    return this.by.key.numbers[row] ?? 0
  }

  #isBefore(a: number, b: number): boolean {
    if (a === b) return false
    const { numbers: times } = this.by.time
    if (times[a] !== times[b]) return times[a]! < times[b]!
    return this.ids.of(a) < this.ids.of(b)
  }

  #addLength(session: number, length: number): void {
    this.#lengths[session]! += length
    this.#totalLength += length
  }

  #reserve(sessions: number): void {
    this.#lengths = growArray(this.#lengths, sessions)
    this.#seenBy = growArray(this.#seenBy, sessions)
    this.#frequencies = growArray(this.#frequencies, sessions)
  }
}

/** Number of sessions, and their lengths together in terms. */
export interface SessionTotals {
  size: number
  totalLength: number
}

/** The number of sessions with a term, and how often each wanted session has it. */
export interface SessionCounts {
  holding: number
  frequencies: Float64Array
}

/** Inverse document frequency over sessions; an unknown word counts as one in a single session. */
export function sessionRarity({ size }: SessionTotals, holding: number): number {
  return idf(size, Math.max(1, holding))
}

/** Adds one term's BM25 scores to sessions. @param lengths of these sessions in terms. */
export function addSessionScores(
  { holding, frequencies }: SessionCounts,
  weight: number,
  { size, totalLength, bm25, lengths }: SessionTotals & { bm25: Bm25; lengths: ArrayLike<number> },
  scores: Float64Array,
): void {
  const gain = weight * idf(size, holding) * (bm25.k1 + 1)
  const average = totalLength / size
  for (let i = 0; i < scores.length; i++) {
    const frequency = frequencies[i]!
    if (frequency === 0) continue
    const norm = bm25.k1 * (1 - bm25.b + (bm25.b * lengths[i]!) / average)
    scores[i]! += (gain * frequency) / (frequency + norm)
  }
}
