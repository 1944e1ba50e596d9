import type { Breather } from '../../../lib/loop-budget.js'
import { frequencyBits, maxFrequency } from '../words/text-field.js'
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
  const words = new Map<number, { weight: number; share: number }>()
  for (const [word, weight] of plan.weights) {
    const term = terms.get(word)
    words.set(term, { weight, share: (weight * rarityOf(term, content)) / whole })
  }
  const coverage: RowScores = []
  const occurrences: RowScores = []
  for (let i = 0; i < found.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const row = found[i]![0]
    let covered = 0
    let said = 0
    for (const entry of content.forward.values(row)) {
      const word = words.get(entry >>> frequencyBits)
      if (word === undefined) continue
      covered += word.share
      said += word.weight * (entry & maxFrequency)
    }
    coverage.push([row, Math.min(1, covered)])
    occurrences.push([row, said])
  }
  return { coverage, occurrences }
}
