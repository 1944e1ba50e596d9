import { fullCoverage } from './evidence.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import type { RankContext } from './step.js'
import { weights } from './weights.js'

/**
 * Session evidence: a row is lifted part of the way to the coverage of its whole session. A row with the same
 * coverage gains nothing, so single memories are not pushed back. Pages gain nothing either: they contain
 * their topic.
 *
 * @returns additions by place
 */
export function sessionEvidence(
  { hits, rows }: Pick<RankContext, 'hits' | 'rows'>,
  table: EvidenceTable,
): Float64Array | undefined {
  const { places, scores } = hits.sessions
  if (places.length === 0) return undefined
  const full = fullCoverage(hits, 'sessions', scores)
  const scoreOf = new Float64Array(rows.texts)
  for (let i = 0; i < places.length; i++) scoreOf[places[i]!] = scores[i]!
  const lifts = noValues(rows)
  for (let place = 0; place < rows.count; place++) {
    const session = table.isCandidate(place) ? rows.session(place) : -1
    if (session < 0) continue
    const missing = Math.min(1, scoreOf[session]! / full) - table.own[place]!
    const lift = missing > 0 ? weights.session * rows.talk(place) * missing : 0
    if (lift > 0) lifts[place] = lift
  }
  return lifts
}

/**
 * Adds the neighbours of hits as candidates without own evidence: an answer seldom repeats its question. No
 * index filter has checked them, so they must pass authorisation like every candidate.
 *
 * @returns places of the added rows
 */
export function addNeighbours({ rows }: Pick<RankContext, 'rows'>, table: EvidenceTable): number[] {
  const beside: number[] = []
  const look = (neighbour: number) => {
    if (neighbour >= 0 && !table.isCandidate(neighbour)) beside.push(neighbour)
  }
  for (let place = 0; place < rows.count; place++) {
    if (!table.isCandidate(place)) continue
    look(rows.previous(place))
    look(rows.next(place))
  }
  return beside
}

/**
 * Neighbour evidence: a row is lifted part of the way to a better row before or after it in the same
 * conversation.
 *
 * @returns additions by place
 */
export function neighbourEvidence({ rows }: Pick<RankContext, 'rows'>, { own }: EvidenceTable): Float64Array {
  const lifts = noValues(rows)
  const lift = (neighbour: number, evidence: number) => {
    if (neighbour < 0) return
    const better = evidence - own[neighbour]!
    const value = better > 0 ? weights.neighbours * rows.talk(neighbour) * better : 0
    if (value > 0) lifts[neighbour] = (lifts[neighbour]! || 0) + value
  }
  for (let place = 0; place < rows.count; place++) {
    const evidence = own[place]!
    // A row without evidence lifts no neighbour.
    if (evidence === 0) continue
    lift(rows.previous(place), evidence)
    lift(rows.next(place), evidence)
  }
  return lifts
}
