import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import { type RowScores, TopRows } from '../arrays/top-rows.js'
import type { RowMask } from '../rows/row-masks.js'
import {
  addSessionScores,
  type SessionCounts,
  type Sessions,
  type SessionTotals,
  sessionRarity,
  type WantedSessions,
} from '../rows/sessions.js'
import type { VectorStore } from '../vectors/vector-store.js'
import { foreignMark, isHash, weakTerms, weakWord } from '../words/analysis/analyzer.js'
import { idf, type TermStatistics, type TextField } from '../words/text-field.js'
import type { PackedRows } from './packed-rows.js'

/** Measured: sessions are long and repeat most of their content. */
const sessionBm25 = { k1: 1.2, b: 0.6 }
/** Unknown query words to complete or correct; further ones are skipped. */
const maxExpandedWords = 8
/**
 * Best rows by quantised vectors to rescore with exact ones: the two orders differ only between neighbours.
 */
export const rescored = 24
const minRescored = 50

/** The allowed rows of a search, the maximum number of hits, and the shared time budget. */
export interface RowSelection {
  mask: RowMask
  depth: number
  budget: Breather
}

/** The query's words, mapped to index terms. */
export interface TermPlan {
  /** False if the query has no searchable words (recall.md 1.3.7). */
  searchable: boolean
  /** Distinct words of the query, known or not, with their weights. */
  words: ReadonlyMap<string, number>
  /** Weights by term in query order: its own words, and similar words for unknown ones at lower weights. */
  weights: ReadonlyMap<string, number>
  /**
   * The known word of the query that a stem of another language means. A stem is as rare as both together, so
   * that a few texts in another language do not make an everyday word rare.
   */
  meant: ReadonlyMap<string, string>
}

/** The vocabulary of an index. */
export interface KnownWords {
  has(word: string): boolean
  /** Known words similar to an unknown one, with weights below 1; see `expandTerm`. */
  near(word: string): Iterable<readonly [word: string, weight: number]> | Promise<[string, number][]>
}

/** The beginning of a hash says almost as much as the hash. */
const hashWeight = 0.9

/**
 * Maps query words to terms; unknown words are replaced by similar known ones.
 * @param asked the words with the terms that mean the same; see `Analyzer.asked`
 */
export async function planTerms(
  known: KnownWords,
  asked: ReadonlyMap<string, () => readonly string[]>,
  budget: Breather,
): Promise<TermPlan> {
  const words = new Map<string, number>()
  const weights = new Map<string, number>()
  const meant = new Map<string, string>()
  const hasForeign = known.has(foreignMark)
  const raise = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0))
  let expanded = 0
  for (const [word, others] of asked) {
    const count = weakTerms.has(word) ? weakWord : 1
    const isKnown = known.has(word)
    const same = hasForeign || isHash(word) ? others().filter(term => known.has(term)) : []
    if (isKnown) weights.set(word, count)
    for (const term of same) {
      raise(term, count)
      if (isKnown) meant.set(term, word)
    }
    const nearest = isHash(word) ? hashesFrom(word, await known.near(word)) : []
    for (const term of nearest) raise(term, count * hashWeight)
    words.set(isKnown ? word : (same[0] ?? nearest[0] ?? word), count)
    if (isKnown || same.length > 0 || nearest.length > 0 || expanded++ >= maxExpandedWords) continue
    await budget.breathe()
    for (const [near, weight] of await nearTo(known, word, hasForeign)) raise(near, count * weight)
  }
  return { searchable: asked.size > 0, words, weights, meant }
}

function hashesFrom(word: string, near: Iterable<readonly [string, number]>): string[] {
  return [...near]
    .map(([term]) => term)
    .filter(term => isHash(term) && term.startsWith(word) && term !== word)
}

/** Known words similar to an unknown one, among them those of texts in other languages. */
async function nearTo(
  known: KnownWords,
  word: string,
  hasForeign: boolean,
): Promise<(readonly [string, number])[]> {
  const near = [...(await known.near(word))]
  if (!hasForeign) return near
  const foreign = [...(await known.near(foreignMark + word))]
  return [...near, ...foreign.filter(([term]) => term.startsWith(foreignMark) && term !== foreignMark)]
}

/**
 * BM25 over one text field: the best `depth` rows in the mask.
 * @param among statistics of the term, if they cover more than this field's rows.
 */
export async function searchText(
  rows: PackedRows,
  text: TextField,
  plan: Pick<TermPlan, 'weights' | 'meant'>,
  { mask, depth, budget }: RowSelection,
  among: (term: string) => TermStatistics = term => text.among(rows.terms.get(term)),
): Promise<RowScores> {
  const { accumulators, bm25, columns, terms } = rows
  const scores = accumulators.take(columns.end)
  for (const [term, weight] of plan.weights) {
    await budget.breathe()
    const statistics = besideMeant(term, plan.meant, among)
    text.score(terms.get(term), weight, bm25, mask.bytes, scores, statistics)
  }
  const best = scores.drain(depth, mask.bytes, columns.change.numbers)
  accumulators.give(scores)
  return best
}

/** Statistics of a term; a stem of another language counts the rows of the word that it means, too. */
export function besideMeant(
  term: string,
  meant: TermPlan['meant'],
  among: (term: string) => TermStatistics,
): TermStatistics {
  const own = among(term)
  const word = meant.get(term)
  return word === undefined ? own : { ...own, holding: own.holding + among(word).holding }
}

/** @returns the share of the query's words that occur in no row, 0..1 */
export function unknownShare({ words }: TermPlan, isKnown: (word: string) => boolean): number {
  let unknown = 0
  for (const word of words.keys()) if (!isKnown(word)) unknown++
  return words.size === 0 ? 0 : unknown / words.size
}

/** BM25 of an average-length row with every query word once; see `ChannelCeilings`. */
export function ceilingOf({ words }: TermPlan, rarity: (word: string) => number): number {
  let ceiling = 0
  for (const [word, count] of words) ceiling += count * rarity(word)
  return ceiling
}

/** Inverse document frequency of a term in a text field; an unknown term counts as one in a single row. */
export function rarityOf(term: number, { filled, postings }: TextField): number {
  return idf(filled, Math.max(1, postings.size(term)))
}

/** Scores the wanted sessions with BM25 over whole sessions. @returns the ceiling (see `ChannelCeilings`) */
export async function searchSessions(
  { terms }: PackedRows,
  sessions: Sessions,
  plan: TermPlan,
  { mask, budget, wanted }: Pick<RowSelection, 'mask' | 'budget'> & { wanted: WantedSessions },
): Promise<number> {
  const counts = new Map<string, SessionCounts>()
  const lengths = wanted.numbers.map(session => sessions.lengthOf(session))
  const whole = { ...sessions.totals, lengths }
  for (const term of plan.weights.keys()) {
    await budget.breathe()
    counts.set(term, sessions.count(terms.get(term), mask.bytes, wanted))
  }
  return scoreSessions(plan, counts, whole, wanted.scores)
}

/** Adds the scores of all terms to sessions. @returns the ceiling (see `ChannelCeilings`) */
export function scoreSessions(
  plan: TermPlan,
  counts: ReadonlyMap<string, SessionCounts>,
  whole: SessionTotals & { lengths: ArrayLike<number> },
  scores: Float64Array,
): number {
  for (const [term, weight] of plan.weights)
    addSessionScores(counts.get(term)!, weight, { ...whole, bm25: sessionBm25 }, scores)
  return ceilingOf(plan, word => sessionRarity(whole, counts.get(word)?.holding ?? 0))
}

/** Nearest rows by cosine: a quantised scan, then exact vectors for the best of them. */
export async function searchVectors(
  rows: PackedRows,
  vectors: VectorStore,
  query: Float32Array,
  { mask, depth, budget }: RowSelection,
): Promise<RowScores> {
  const found = await vectors.search(query, quantisedDepth(depth), mask, budget)
  const exact = await rows.exact?.cosines(query, [...found.rows.subarray(0, rescored)])
  const top = new TopRows(depth, rows.columns.change.numbers)
  for (let i = 0; i < found.rows.length; i++) {
    const row = found.rows[i]!
    top.push(row, exact?.get(row) ?? found.scores[i]!)
  }
  return top.sorted()
}

/** Number of rows that the quantised scan finds. */
export function quantisedDepth(depth: number): number {
  return Math.max(depth, minRescored)
}
