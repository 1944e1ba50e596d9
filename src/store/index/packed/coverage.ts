import type { Breather } from '../../../lib/loop-budget.js'
import { frequencyBits } from '../words/text-field.js'
import { type RowScores, rarityOf, type TermPlan, textCeiling } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

const rowsPerBreath = 32

/**
 * How much of the query rows hold, whatever their length and however often they say it: the rarity of the words that
 * a row holds by that of all words of the query. A word near an unknown one counts as it does in the query.
 *
 * @returns shares, 0..1, of the rows that were found
 */
export async function coverageOf(
  rows: PackedRows,
  plan: TermPlan,
  found: RowScores,
  budget: Breather,
): Promise<RowScores> {
  const { terms, content } = rows
  const whole = textCeiling(rows, content, plan)
  const shares = new Map<number, number>()
  for (const [word, weight] of plan.weights) {
    const term = terms.get(word)
    shares.set(term, (weight * rarityOf(term, content)) / whole)
  }
  const covered: RowScores = []
  for (let i = 0; i < found.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const row = found[i]![0]
    let share = 0
    for (const entry of content.forward.values(row)) share += shares.get(entry >>> frequencyBits) ?? 0
    covered.push([row, Math.min(1, share)])
  }
  return covered
}
