import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import type { RowScores } from '../arrays/top-rows.js'
import { frequencyBits, idf, maxFrequency, normOf, shortText } from '../words/text-field.js'
import { ceilingOf, type TermPlan } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

/** Best keyword rows to take expansion terms from. Measured: 10 is worse on four sets of six, 3 no better. */
export const sourceRows = 5
const expansionTerms = 15
/** Rows with more distinct terms are skipped, as they would block the event loop. */
const longestRow = 2000
const rowsPerBreath = 32

/** How found rows match the query as a whole, in their order. */
export interface QueryShare {
  /**
   * Share of the query in each row, 0..1, independent of length and repetition: the summed rarity of its
   * words found in the row, divided by that of all its words.
   */
  coverage: Float64Array
  /** Occurrences of query words in each row, whatever their rarity. */
  occurrences: Float64Array
}

/**
 * Query expansion by pseudo relevance feedback (RM3) over the found rows only. Takes the distinctive terms of
 * the best rows and scores every row by them.
 * @param found rows by keyword, best first
 * @returns BM25 of the rows over the expansion terms, whose weights sum to 1, in the order of the rows; 0 for
 * rows without any
 */
export async function scoreExpansion(
  rows: PackedRows,
  plan: TermPlan,
  found: RowScores,
  budget: Breather,
): Promise<Float64Array> {
  const { terms, content } = rows
  const own = new Set<number>()
  for (const term of plan.weights.keys()) own.add(terms.get(term))
  const chosen = chooseExpansion<number>(sourcesOf(rows, found), {
    isOwn: term => own.has(term),
    holding: term => content.postings.size(term),
    filled: content.filled,
    textOf: term => terms.text(term),
  })
  return scoreByExpansion(rows, [...chosen], { found, average: content.totalLength / content.filled, budget })
}

/** A row that expansion takes terms from. */
export interface ExpansionSource<Term> {
  score: number
  /** In terms. */
  length: number
  /** Distinct terms with their frequencies. */
  terms: Iterable<readonly [Term, number]>
}

/** The best rows as sources; rows that are too long are left out. @param found best first */
export function* sourcesOf(
  { content }: PackedRows,
  found: RowScores,
): Generator<ExpansionSource<number> & { place: number }> {
  for (const [place, row] of found.rows.subarray(0, sourceRows).entries()) {
    if (content.forward.size(row) > longestRow) continue
    const terms = Array.from(
      content.forward.values(row),
      entry => [entry >>> frequencyBits, entry & maxFrequency] as const,
    )
    yield { place, score: found.scores[place]!, length: content.lengths[row]!, terms }
  }
}

/** The terms of an index, for the choice of expansion terms. */
interface ExpansionTerms<Term> {
  /** True for a term of the query. */
  isOwn(term: Term): boolean
  /** Number of texts with a term. */
  holding(term: Term): number
  /** Number of texts. */
  filled: number
  textOf(term: Term): string
}

/** @returns the weight of each distinctive term: its share of the total times its rarity */
export function chooseExpansion<Term>(
  sources: Iterable<ExpansionSource<Term>>,
  { isOwn, holding, filled, textOf }: ExpansionTerms<Term>,
): Map<Term, number> {
  const shares = new Map<Term, number>()
  for (const { score, length, terms } of sources) {
    const perOccurrence = score / Math.max(length, shortText)
    for (const [term, frequency] of terms)
      if (!isOwn(term)) shares.set(term, (shares.get(term) ?? 0) + perOccurrence * frequency)
  }
  const rarities: [term: Term, weight: number, rarity: number][] = []
  for (const [term, share] of shares) {
    const holders = holding(term)
    const rarity = idf(filled, holders)
    // A term of only one row cannot find others.
    if (holders > 1) rarities.push([term, share * rarity, rarity])
  }
  // By text, because the numbers of terms depend on the order of insertions.
  const chosen = rarities
    .sort((a, z) => z[1] - a[1] || (textOf(a[0]) < textOf(z[0]) ? -1 : 1))
    .slice(0, expansionTerms)
  const sum = chosen.reduce((total, [, weight]) => total + weight, 0)
  return new Map(chosen.map(([term, weight, rarity]) => [term, (weight / sum) * rarity]))
}

/**
 * BM25 of the found rows over expansion terms, in the order of the rows.
 * @param terms numbers of terms with their weights; 0 for a term that these rows lack.
 */
export async function scoreByExpansion(
  rows: PackedRows,
  terms: readonly (readonly [number, number])[],
  { found, average, budget }: { found: RowScores; average: number; budget: Breather },
): Promise<Float64Array> {
  const scored = new Float64Array(found.rows.length)
  if (terms.length === 0) return scored
  const { content } = rows
  const { k1 } = rows.bm25
  const slots = rows.termSlots.take(rows.terms.capacity)
  slots.fill(terms.map(([term]) => term))
  const { places, frequencies } = slots
  const { flat, slope } = normOf(rows.bm25, average)
  for (let i = 0; i < scored.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const row = found.rows[i]!
    if (content.forward.size(row) > longestRow) continue
    const norm = flat + slope * Math.max(content.lengths[row]!, shortText)
    const count = slots.read(content, row)
    let score = 0
    for (let at = 0; at < count; at++) {
      const frequency = frequencies[at]!
      score += (terms[places[at]!]![1] * frequency * (k1 + 1)) / (frequency + norm)
    }
    scored[i] = score
  }
  slots.clear()
  rows.termSlots.give(slots)
  return scored
}

/**
 * An expanded word counts with its reduced weight.
 * @param rarity inverse document frequency of a term among all texts.
 * @returns coverage and occurrences of the found rows
 */
export async function queryShareOf(
  rows: PackedRows,
  plan: TermPlan,
  { rows: found }: RowScores,
  { rarity, budget }: { rarity: (term: string) => number; budget: Breather },
): Promise<QueryShare> {
  const { terms, content } = rows
  const whole = ceilingOf(plan, rarity)
  const shares: number[] = []
  const weights: number[] = []
  const numbers: number[] = []
  for (const [word, weight] of plan.weights) {
    numbers.push(terms.get(word))
    weights.push(weight)
    shares.push((weight * rarity(word)) / whole)
  }
  const slots = rows.termSlots.take(terms.capacity)
  slots.fill(numbers)
  const { places, frequencies } = slots
  const coverage = new Float64Array(found.length)
  const occurrences = new Float64Array(found.length)
  for (let i = 0; i < found.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const count = slots.read(content, found[i]!)
    let covered = 0
    let said = 0
    for (let at = 0; at < count; at++) {
      covered += shares[places[at]!]!
      said += weights[places[at]!]! * frequencies[at]!
    }
    coverage[i] = Math.min(1, covered)
    occurrences[i] = said
  }
  slots.clear()
  rows.termSlots.give(slots)
  return { coverage, occurrences }
}
