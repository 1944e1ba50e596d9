import type { Accumulator } from '../arrays/accumulator.js'
import { BlockLists } from '../arrays/block-lists.js'
import { growArray } from '../arrays/growable.js'
import type { Dictionary } from './dictionary.js'

/** Term frequency saturation and length normalisation of BM25. */
export interface Bm25 {
  k1: number
  b: number
}

/**
 * Minimum length for normalisation: the length of a chat message means nothing, unlike that of a page
 * (docs/ranking.md).
 */
export const shortText = 20

/** A posting is row << 8 | frequency, a forward entry term << 8 | frequency: both allow 2^24 numbers. */
export const frequencyBits = 8
export const maxFrequency = 255
export const maxRows = 2 ** 24

/**
 * BM25 over one text per row. Stores each row's distinct terms next to the postings, so that a row can be
 * removed exactly without its text. Frequencies above 255 count as 255.
 */
export class TextField {
  readonly postings = new BlockLists()
  readonly forward = new BlockLists()
  /** By row: its length in terms, and 1 if it has this field. */
  lengths = new Uint32Array(64)
  present = new Uint8Array(64)
  /** Number of rows with this field, and their total length. */
  filled = 0
  totalLength = 0

  constructor(readonly dictionary: Dictionary) {}

  /** Indexes a row without a text in this field; terms repeat as often as they occur. */
  add(row: number, terms: readonly string[]): void {
    if (row >= maxRows) throw new RangeError(`the index holds at most ${maxRows} rows`)
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      this.#post(row, this.dictionary.retain(term), Math.min(count, maxFrequency))
    }
    this.#admit(row, terms.length)
  }

  has(row: number): boolean {
    return this.present[row] === 1
  }

  /** True if a row has exactly these terms with these repetitions. */
  holds(row: number, terms: readonly string[]): boolean {
    if (!this.has(row) || this.lengths[row] !== terms.length) return false
    const known = new Set(this.forward.values(row).map(entry => entry >>> frequencyBits))
    const wanted = new Set(terms)
    return wanted.size === known.size && [...wanted].every(term => known.has(this.dictionary.get(term)))
  }

  /** @returns length of the removed text in terms, 0 when there was none. */
  remove(row: number): number {
    if (!this.has(row)) return 0
    for (const entry of this.forward.values(row)) {
      const term = entry >>> frequencyBits
      this.postings.remove(term, row, frequencyBits)
      this.dictionary.release(term)
    }
    this.forward.clear(row)
    const length = this.lengths[row]!
    this.lengths[row] = 0
    this.present[row] = 0
    this.filled--
    this.totalLength -= Math.max(length, shortText)
    return length
  }

  /**
   * Adds one term's BM25 scores to rows marked 1 in `allowed`.
   * @param among statistics for the term's rarity; by default those of this field's rows.
   */
  score(
    term: number,
    weight: number,
    bm25: Bm25,
    allowed: Uint8Array,
    into: Accumulator,
    among: TermStatistics = this.among(term),
  ): void {
    if (this.postings.size(term) === 0) return
    const { postings, lengths } = this
    const gain = gainOf(weight, bm25, among)
    for (let block = postings.first(term); block !== 0; block = postings.next(block))
      addScores(postings.words(block), postings.start(block), postings.end(block), {
        gain,
        lengths,
        allowed,
        into,
      })
  }

  /** Statistics of a term in this field. */
  among(term: number): TermStatistics {
    const { filled, totalLength } = this
    return { filled, holding: this.postings.size(term), average: totalLength / filled }
  }

  /** Makes room for row numbers below `rows`. */
  reserve(rows: number): void {
    this.lengths = growArray(this.lengths, rows)
    this.present = growArray(this.present, rows)
  }

  /** Restores a row's terms as numbers and frequencies; its length must be set (snapshots). */
  restoreEntries(row: number, entries: Uint32Array): void {
    for (const entry of entries) this.#post(row, entry >>> frequencyBits, entry & maxFrequency)
  }

  /** Recounts rows from `lengths` and `present` (snapshots). */
  recount(): void {
    const { present, lengths } = this
    let filled = 0
    let totalLength = 0
    for (let row = 0; row < present.length; row++) {
      filled += present[row]!
      if (present[row] === 1) totalLength += Math.max(lengths[row]!, shortText)
    }
    this.filled = filled
    this.totalLength = totalLength
  }

  get bytes(): number {
    return this.postings.bytes + this.forward.bytes + this.lengths.byteLength + this.present.byteLength
  }

  #post(row: number, term: number, frequency: number): void {
    this.postings.append(term, ((row << frequencyBits) | frequency) >>> 0)
    this.forward.append(row, ((term << frequencyBits) | frequency) >>> 0)
  }

  #admit(row: number, length: number): void {
    this.reserve(row + 1)
    this.lengths[row] = length
    this.present[row] = 1
    this.filled++
    this.totalLength += Math.max(length, shortText)
  }
}

/** Statistics of a term: the number of rows, those with the term, and their mean length in terms. */
export interface TermStatistics {
  filled: number
  holding: number
  average: number
}

/** BM25 factors of a term, equal for all rows. */
export interface Gain {
  gain: number
  flat: number
  slope: number
}

export function gainOf(weight: number, bm25: Bm25, { filled, holding, average }: TermStatistics): Gain {
  return { gain: weight * idf(filled, holding) * (bm25.k1 + 1), ...normOf(bm25, average) }
}

/**
 * A row's length adds `flat + slope x length` to the denominator of BM25, for at least `shortText` terms.
 */
export function normOf({ k1, b }: Bm25, average: number): { flat: number; slope: number } {
  return { flat: k1 * (1 - b), slope: (k1 * b) / average }
}

/** Input and output of `addScores`. */
interface ScoredRows {
  gain: Gain
  /** In terms, by row. */
  lengths: Uint32Array
  /** 1 for a row that may be found. */
  allowed: Uint8Array
  into: Accumulator
}

/**
 * Adds the scores of some postings of one term: `idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length /
 * average))`.
 * @param words postings from `start` to before `end`: row << 8 | frequency.
 */
export function addScores(
  words: Uint32Array,
  start: number,
  end: number,
  { gain: { gain, flat, slope }, lengths, allowed, into }: ScoredRows,
): void {
  const { scores, touched } = into
  let count = into.count
  for (let i = start; i < end; i++) {
    const posting = words[i]!
    const row = posting >>> frequencyBits
    if (allowed[row] !== 1) continue
    const frequency = posting & maxFrequency
    const score = scores[row]!
    if (score === 0) touched[count++] = row
    scores[row] = score + (gain * frequency) / (frequency + flat + slope * Math.max(lengths[row]!, shortText))
  }
  into.count = count
}

/** BM25's inverse document frequency of a term in `holding` of `all` texts, never negative. */
export const idf = (all: number, holding: number): number =>
  Math.log(1 + (all - holding + 0.5) / (holding + 0.5))
