import { fullCoverage, type RankContext } from './evidence.js'
import { talkShare } from './talk.js'
import { weights } from './weights.js'

/**
 * Whole-session evidence: a row that covers less of the query than its session does is lifted part of the way.
 * A row that covers as much by itself gains nothing, so memories that stand alone are not pushed back; nor does a page,
 * which says by itself what it is about.
 *
 * @returns additions by memory id
 */
export function sessionEvidence({ hits, facts, own }: RankContext): Map<string, number> {
  const lifts = new Map<string, number>()
  const full = fullCoverage(hits, 'sessions', hits.sessions.values())
  for (const [id, evidence] of own) {
    const known = facts(id)
    const score = known?.session ? (hits.sessions.get(known.session) ?? 0) : 0
    const missing = Math.min(1, score / full) - evidence
    const lift = missing > 0 ? weights.session * talkShare(known) * missing : 0
    if (lift > 0) lifts.set(id, lift)
  }
  return lifts
}
