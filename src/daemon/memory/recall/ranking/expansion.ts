import { byId, fullCoverage, type RankContext } from './evidence.js'
import { isPage } from './talk.js'
import { weights } from './weights.js'

/**
 * Expansion evidence (pseudo relevance feedback): a row that holds the words which stand out in the best rows is about
 * the same matter, even where it says little of the query itself. It reorders what follows the best rows and never
 * lifts anything above them, as the words are drawn from these.
 *
 * @returns additions by memory id
 */
export function expansionEvidence({ hits, facts, own }: RankContext): Map<string, number> {
  const additions = new Map<string, number>()
  const { share, untouched } = weights.expansion
  const best = bestOf(own, untouched)
  const ceiling = best[untouched - 1]?.[1] ?? 0
  if (ceiling === 0) return additions
  const keyword = hits.keyword.map(({ score }) => score)
  const perScore = (share * (hits.ceilings?.words ?? 1)) / fullCoverage(hits, 'keyword', keyword)
  for (const [id, score] of byId(hits.expansion)) {
    const evidence = own.get(id) ?? 0
    if (best.some(([kept]) => kept === id) || isPage(facts(id))) continue
    const value = below(ceiling, evidence + perScore * score) - evidence
    if (value > 0) additions.set(id, value)
  }
  return additions
}

/** The few rows with most evidence, best first; equal ones in the order of their ids. */
function bestOf(own: ReadonlyMap<string, number>, count: number): [id: string, evidence: number][] {
  const best: [string, number][] = []
  for (const [id, evidence] of own) {
    let at = best.length
    for (; at > 0; at--) {
      const [otherId, other] = best[at - 1]!
      if (other > evidence || (other === evidence && otherId < id)) break
    }
    if (at === count) continue
    best.splice(at, 0, [id, evidence])
    if (best.length > count) best.pop()
  }
  return best
}

/** Leaves evidence as it is but near the ceiling, which it approaches and never reaches: the order stays. */
function below(ceiling: number, evidence: number): number {
  const { bend } = weights.expansion
  const over = evidence / ceiling - bend
  return over <= 0 ? evidence : ceiling * (bend + (1 - bend) * (1 - Math.exp(-over)))
}
