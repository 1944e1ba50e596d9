import type { RankContext } from './evidence.js'

const NEIGHBOUR_WEIGHT = 0.5

/**
 * Evidence of the rows before and after in the same session: a row is lifted half the way to a better neighbour,
 * also one that shares no word with the query (an answer seldom repeats its question). Such a row is a new
 * candidate: it was not under the index filter and has to pass authorisation like every other.
 *
 * @returns additions by memory id
 */
export function neighbourEvidence({ facts, own }: Pick<RankContext, 'facts' | 'own'>): Map<string, number> {
  const lifts = new Map<string, number>()
  for (const [id, evidence] of own) {
    const place = facts(id)
    for (const neighbour of [place?.previous, place?.next]) {
      if (!neighbour) continue
      const lift = evidence - (own.get(neighbour) ?? 0)
      if (lift > 0) lifts.set(neighbour, (lifts.get(neighbour) ?? 0) + NEIGHBOUR_WEIGHT * lift)
    }
  }
  return lifts
}
