import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import type { RowScores } from '../arrays/top-rows.js'
import { ceilingOf, type TermPlan } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

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
