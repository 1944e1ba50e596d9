import type { Breather } from '../../../lib/loop-budget.js'
import { ceilingOf, type RowScores, rarityOf, type TermPlan } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

const rowsPerBreath = 32

/** How rows stand to a query as a whole. */
export interface QueryShare {
  /**
   * How much of the query rows hold, 0..1, whatever their length and however often they say it: the rarity of the words
   * that a row holds by that of all words of the query.
   */
  coverage: RowScores
  /** How often rows say words of the query, whatever their rarity. */
  occurrences: RowScores
}

/** @returns what the rows that were found hold of the query; a word near an unknown one counts as it does there */
export async function queryShareOf(
  rows: PackedRows,
  plan: TermPlan,
  found: RowScores,
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
  let covered = 0
  let said = 0
  const add = (place: number, frequency: number): void => {
    covered += shares[place]!
    said += weights[place]! * frequency
  }
  const coverage: RowScores = []
  const occurrences: RowScores = []
  for (let i = 0; i < found.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const row = found[i]![0]
    covered = 0
    said = 0
    slots.eachIn(content, row, add)
    coverage.push([row, Math.min(1, covered)])
    occurrences.push([row, said])
  }
  slots.clear()
  rows.termSlots.give(slots)
  return { coverage, occurrences }
}
