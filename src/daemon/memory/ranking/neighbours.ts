import type { RankContext } from './evidence.js'

const NEIGHBOUR_WEIGHT = 0.4

/**
 * The rows beside a hit are candidates too, without evidence of their own: an answer seldom repeats its question.
 * No index filter has seen them, so they have to pass authorisation like every other candidate.
 *
 * @returns own evidence by memory id, 0 for the rows that were added
 */
export function widen(own: ReadonlyMap<string, number>, facts: RankContext['facts']): Map<string, number> {
  const wider = new Map(own)
  for (const id of own.keys())
    for (const neighbour of beside(id, facts)) if (!own.has(neighbour)) wider.set(neighbour, 0)
  return wider
}

/**
 * Evidence of the rows before and after in the same session: a row is lifted part of the way to a better neighbour.
 *
 * @returns additions by memory id
 */
export function neighbourEvidence({ facts, own }: Pick<RankContext, 'facts' | 'own'>): Map<string, number> {
  const lifts = new Map<string, number>()
  for (const [id, evidence] of own) {
    for (const neighbour of beside(id, facts)) {
      const lift = NEIGHBOUR_WEIGHT * (evidence - (own.get(neighbour) ?? 0))
      if (lift > 0) lifts.set(neighbour, (lifts.get(neighbour) ?? 0) + lift)
    }
  }
  return lifts
}

function beside(id: string, facts: RankContext['facts']): string[] {
  const place = facts(id)
  return [place?.previous, place?.next].filter(neighbour => typeof neighbour === 'string')
}
