import type { Breather } from '../../../lib/loop-budget.js'
import { frequencyBits, idf } from '../words/text-field.js'
import type { RowScores, TermPlan } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

const rowsPerBreath = 32

/**
 * How much of the query rows hold, whatever their length and however often they say it: the rarity of the words that
 * a row holds by that of all words of the query. A word near an unknown one counts as it does in the query.
 *
 * @returns shares, 0..1, of the rows that were found
 */
export async function coverageOf(
  { terms, content }: PackedRows,
  plan: TermPlan,
  found: RowScores,
  budget: Breather,
): Promise<RowScores> {
  const rarity = (term: string) => idf(content.filled, Math.max(1, content.postings.size(terms.get(term))))
  let whole = 0
  for (const [word, count] of plan.words) whole += count * rarity(word)
  const shares = new Map<number, number>()
  for (const [term, weight] of plan.weights) shares.set(terms.get(term), (weight * rarity(term)) / whole)
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
