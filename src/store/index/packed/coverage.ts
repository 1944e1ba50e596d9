import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import type { RowScores } from '../arrays/top-rows.js'
import { ceilingOf, rarityOf, type TermPlan } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

const rowsPerBreath = 32

/** How rows stand to a query as a whole, in the order in which they were found. */
export interface QueryShare {
  /**
   * How much of the query rows hold, 0..1, whatever their length and however often they say it: the rarity of the words
   * that a row holds by that of all words of the query.
   */
  coverage: Float64Array
  /** How often rows say words of the query, whatever their rarity. */
  occurrences: Float64Array
}

/** @returns what the rows that were found hold of the query; a word near an unknown one counts as it does there */
export async function queryShareOf(
  rows: PackedRows,
  plan: TermPlan,
  { rows: found }: RowScores,
  budget: Breather,
): Promise<QueryShare> {
  const { terms, content } = rows
  const whole = ceilingOf(plan, word => rarityOf(terms.get(word), content))
  const shares: number[] = []
  const weights: number[] = []
  const numbers: number[] = []
  for (const [word, weight] of plan.weights) {
    const term = terms.get(word)
    numbers.push(term)
    weights.push(weight)
    shares.push((weight * rarityOf(term, content)) / whole)
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
