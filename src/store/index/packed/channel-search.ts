import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { type RowScores, TopRows } from '../arrays/top-rows.js'
import type { RowMask } from '../rows/row-masks.js'
import type { Sessions, WantedSessions } from '../rows/sessions.js'
import type { VectorStore } from '../vectors/vector-store.js'
import { weakTerms } from '../words/analysis/analyzer.js'
import { type Among, idf, type TextField } from '../words/text-field.js'
import type { PackedRows } from './packed-rows.js'

/** Whole sessions are long, all of them, and say most things more than once. Measured. */
const sessionBm25 = { k1: 1.2, b: 0.6 }
/** Unknown words of a query that are completed or corrected; the rest of them are left out. */
const maxExpandedWords = 8
/** What a word of which questions are made counts, where any other word counts 1. */
const weakWord = 0.5
/**
 * How many of the best by quantised vectors are scored again by exact ones: the two orders differ only between
 * neighbours.
 */
const rescored = 24
const minRescored = 50

/** The rows that a search may give, how many of them at most, and how it shares the event loop. */
export interface Wanted {
  mask: RowMask
  depth: number
  budget: Breather
}

/** What a query's words mean to the index. */
export interface TermPlan {
  /** False when the query left no words at all (recall.md 1.3.7). */
  searchable: boolean
  /** The query's distinct words, known to the index or not, and what each counts. */
  words: ReadonlyMap<string, number>
  /** Weights by term, in the order of the query: its own words as above, words near unknown ones at less. */
  weights: ReadonlyMap<string, number>
}

/** The words that an index knows. */
export interface KnownWords {
  has(word: string): boolean
  /** Known words that an unknown one may stand for, with weights below 1; see `expandTerm`. */
  near(word: string): Iterable<readonly [word: string, weight: number]> | Promise<[string, number][]>
}

/** Words that the index does not know stand for words near them. */
export async function planTerms(
  known: KnownWords,
  words: readonly string[],
  budget: Breather,
): Promise<TermPlan> {
  const counts = new Map(words.map(word => [word, weakTerms.has(word) ? weakWord : 1]))
  const weights = new Map<string, number>()
  let expanded = 0
  for (const [word, count] of counts) {
    if (known.has(word)) weights.set(word, count)
    else if (expanded++ < maxExpandedWords) {
      await budget.breathe()
      for (const [near, weight] of await known.near(word)) {
        weights.set(near, Math.max(count * weight, weights.get(near) ?? 0))
      }
    }
  }
  return { searchable: words.length > 0, words: counts, weights }
}

/**
 * BM25 of one text: the best `depth` rows that the mask lets through.
 * @param among the rows that a term counts among, where they are more than those of the text.
 */
export async function searchText(
  rows: PackedRows,
  text: TextField,
  plan: Pick<TermPlan, 'weights'>,
  { mask, depth, budget }: Wanted,
  among?: (term: string) => Among,
): Promise<RowScores> {
  const { accumulators, bm25, columns, terms } = rows
  const scores = accumulators.take(columns.end)
  for (const [term, weight] of plan.weights) {
    await budget.breathe()
    text.score(terms.get(term), weight, bm25, mask.bytes, scores, among?.(term))
  }
  const best = scores.drain(depth, mask.bytes)
  accumulators.give(scores)
  return best
}

/** @returns the share of a query's words that no row holds, 0..1 */
export function unknownShare({ words }: TermPlan, isKnown: (word: string) => boolean): number {
  let unknown = 0
  for (const word of words.keys()) if (!isKnown(word)) unknown++
  return words.size === 0 ? 0 : unknown / words.size
}

/** BM25 of a row of average length that holds every word of the query once; see `ChannelCeilings`. */
export function ceilingOf({ words }: TermPlan, rarity: (word: string) => number): number {
  let ceiling = 0
  for (const [word, count] of words) ceiling += count * rarity(word)
  return ceiling
}

/** Inverse document frequency of a term in a text; a term that no row holds counts as one that a single row holds. */
export function rarityOf(term: number, { filled, postings }: TextField): number {
  return idf(filled, Math.max(1, postings.size(term)))
}

/** Fills the scores of the wanted sessions by BM25 of whole sessions. @returns the ceiling (see `ChannelCeilings`) */
export async function searchSessions(
  { terms }: PackedRows,
  sessions: Sessions,
  plan: TermPlan,
  { mask, budget, wanted }: Pick<Wanted, 'mask' | 'budget'> & { wanted: WantedSessions },
): Promise<number> {
  const rarities = new Map<string, number>()
  for (const [term, weight] of plan.weights) {
    await budget.breathe()
    rarities.set(term, sessions.score(terms.get(term), weight, sessionBm25, mask.bytes, wanted))
  }
  let ceiling = 0
  for (const [word, count] of plan.words) ceiling += count * (rarities.get(word) ?? sessions.rarity(1))
  return ceiling
}

/** Nearest rows by cosine: quantised scan, then the best of them by their exact vectors. */
export async function searchVectors(
  rows: PackedRows,
  vectors: VectorStore,
  query: Float32Array,
  { mask, depth, budget }: Wanted,
): Promise<RowScores> {
  const found = await vectors.search(query, Math.max(depth, minRescored), mask, budget)
  const exact = await rows.exact?.cosines(query, [...found.rows.subarray(0, rescored)])
  const top = new TopRows(depth)
  for (let i = 0; i < found.rows.length; i++) {
    const row = found.rows[i]!
    top.push(row, exact?.get(row) ?? found.scores[i]!)
  }
  return top.sorted()
}
