import { fullCoverage } from './evidence.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import type { RankContext } from './step.js'
import { weights } from './weights.js'

/**
 * Expansion evidence (pseudo relevance feedback): a row with the characteristic words of the best rows is
 * about the same topic, even with few words of the query. It reorders the rows after the best and never lifts
 * one above them, since the words come from these.
 *
 * @returns additions by place
 */
export function expansionEvidence(
  { hits, rows }: Pick<RankContext, 'hits' | 'rows'>,
  table: EvidenceTable,
): Float64Array | undefined {
  const { share, untouched } = weights.expansion
  const best = bestOf(table, untouched)
  if (best.length < untouched) return undefined
  const { own } = table
  const ceiling = own[best[untouched - 1]!]!
  const { places } = hits.keyword
  const perScore = (share * (hits.ceilings?.words ?? 1)) / fullCoverage(hits, 'keyword', hits.keyword.scores)
  const additions = noValues(rows)
  for (let i = 0; i < hits.expansion.length; i++) {
    const score = hits.expansion[i]!
    const place = places[i]!
    if (!(score > 0) || best.includes(place) || rows.isPage(place)) continue
    const evidence = own[place]!
    const value = below(ceiling, evidence + perScore * score) - evidence
    if (value > 0) additions[place] = value
  }
  return additions
}

/** The few rows with most evidence of their own, best first; ties in the order of their ids. */
function bestOf({ own, rows }: EvidenceTable, count: number): number[] {
  const best: number[] = []
  for (let place = 0; place < rows.count; place++) {
    const evidence = own[place]!
    if (evidence === 0) continue
    let at = best.length
    for (; at > 0; at--) {
      const other = best[at - 1]!
      if (own[other]! > evidence || (own[other] === evidence && rows.id(other) < rows.id(place))) break
    }
    if (at === count) continue
    best.splice(at, 0, place)
    if (best.length > count) best.pop()
  }
  return best
}

/** Compresses evidence near the ceiling so that it never reaches it; the order is preserved. */
function below(ceiling: number, evidence: number): number {
  const { bend } = weights.expansion
  const over = evidence / ceiling - bend
  return over <= 0 ? evidence : ceiling * (bend + (1 - bend) * (1 - Math.exp(-over)))
}
