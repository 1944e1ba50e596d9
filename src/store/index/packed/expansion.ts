import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import type { RowScores } from '../arrays/top-rows.js'
import { frequencyBits, idf, maxFrequency, shortText } from '../words/text-field.js'
import type { TermPlan } from './channel-search.js'
import type { PackedRows } from './packed-rows.js'

/** Best keyword rows to take expansion terms from. Measured: 10 is worse on four sets of six, 3 no better. */
const sourceRows = 5
const expansionTerms = 15
/** Rows with more distinct terms are skipped, as they would block the event loop. */
const longestRow = 2000
const rowsPerBreath = 32

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
  const terms = expansionOf(rows, plan, found)
  const scored = new Float64Array(found.rows.length)
  if (terms.size === 0) return scored
  const { content } = rows
  const { k1 } = rows.bm25
  const gains = [...terms.values()]
  const slots = rows.termSlots.take(rows.terms.capacity)
  slots.fill(terms.keys())
  const { places, frequencies } = slots
  const { flat, slope } = content.lengthNorm(rows.bm25)
  for (let i = 0; i < scored.length; i++) {
    if (i % rowsPerBreath === 0) await budget.breathe()
    const row = found.rows[i]!
    if (content.forward.size(row) > longestRow) continue
    const norm = flat + slope * Math.max(content.lengths[row]!, shortText)
    const count = slots.read(content, row)
    let score = 0
    for (let at = 0; at < count; at++) {
      const frequency = frequencies[at]!
      score += (gains[places[at]!]! * frequency * (k1 + 1)) / (frequency + norm)
    }
    scored[i] = score
  }
  slots.clear()
  rows.termSlots.give(slots)
  return scored
}

/** @returns the weight of each distinctive term by its number: its share of the total times its rarity */
function expansionOf({ terms, content }: PackedRows, plan: TermPlan, found: RowScores): Map<number, number> {
  const own = new Set<number>()
  for (const term of plan.weights.keys()) own.add(terms.get(term))
  const shares = new Map<number, number>()
  for (const [i, row] of found.rows.subarray(0, sourceRows).entries()) {
    if (content.forward.size(row) > longestRow) continue
    const perOccurrence = found.scores[i]! / Math.max(content.lengths[row]!, shortText)
    for (const entry of content.forward.values(row)) {
      const term = entry >>> frequencyBits
      const share = perOccurrence * (entry & maxFrequency)
      if (!own.has(term)) shares.set(term, (shares.get(term) ?? 0) + share)
    }
  }
  const rarities: [term: number, weight: number, rarity: number][] = []
  for (const [term, share] of shares) {
    const holders = content.postings.size(term)
    const rarity = idf(content.filled, holders)
    // A term of only one row cannot find others.
    if (holders > 1) rarities.push([term, share * rarity, rarity])
  }
  const chosen = rarities.sort((a, z) => z[1] - a[1] || a[0] - z[0]).slice(0, expansionTerms)
  const sum = chosen.reduce((total, [, weight]) => total + weight, 0)
  return new Map(chosen.map(([term, weight, rarity]) => [term, (weight / sum) * rarity]))
}
