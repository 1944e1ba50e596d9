import type { RankContext } from './evidence.js'
import { talkShare } from './talk.js'
import { weights } from './weights.js'

const alone = { previous: null, next: null }

/**
 * The rows beside a hit are candidates too, without evidence of their own: an answer seldom repeats its question.
 * No index filter has seen them, so they have to pass authorisation like every other candidate.
 *
 * @returns own evidence by memory id, 0 for the rows that were added
 */
export function widen(own: ReadonlyMap<string, number>, facts: RankContext['facts']): Map<string, number> {
  const wider = new Map(own)
  for (const id of own.keys()) {
    const { previous, next } = facts(id) ?? alone
    if (previous !== null && !own.has(previous)) wider.set(previous, 0)
    if (next !== null && !own.has(next)) wider.set(next, 0)
  }
  return wider
}

/**
 * Evidence of the rows before and after in the same session: a row is lifted part of the way to a better neighbour, as
 * far as the session is a talk.
 *
 * @returns additions by memory id
 */
export function neighbourEvidence({ facts, own }: Pick<RankContext, 'facts' | 'own'>): Map<string, number> {
  const lifts = new Map<string, number>()
  const lift = (neighbour: string | null, evidence: number) => {
    if (neighbour === null) return
    const better = evidence - (own.get(neighbour) ?? 0)
    const value = better > 0 ? weights.neighbours * talkShare(facts(neighbour)) * better : 0
    if (value > 0) lifts.set(neighbour, (lifts.get(neighbour) ?? 0) + value)
  }
  for (const [id, evidence] of own) {
    // A row without evidence lifts no neighbour.
    if (evidence === 0) continue
    const { previous, next } = facts(id) ?? alone
    lift(previous, evidence)
    lift(next, evidence)
  }
  return lifts
}
