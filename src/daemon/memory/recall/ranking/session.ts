import { fullCoverage } from './evidence.js'
import { type EvidenceTable, noValues } from './evidence-table.js'
import type { RankContext } from './step.js'
import { weights } from './weights.js'

/**
 * Whole-session evidence: a row that covers less of the query than its session does is lifted part of the way.
 * A row that covers as much by itself gains nothing, so memories that stand alone are not pushed back; nor does a page,
 * which says by itself what it is about.
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
