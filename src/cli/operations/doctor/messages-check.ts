import type { DoctorContext, Outcome } from './finding.js'

/** Share of all that the inboxes take from which on they are nearly full. */
const nearlyFull = 0.9

/**
 * Full inboxes drop what was acknowledged for a new message, and refuse that where all is unread: somebody does not read
 * theirs.
 */
export async function checkMessages({ call }: DoctorContext): Promise<Outcome> {
  const { capacity } = await call('GET /api/cross-agent/messages', { query: { limit: 1 } })
  const { live, limit } = capacity
  const evidence = `${live} of ${limit} messages wait or are kept`
  if (live < limit * nearlyFull) return { severity: 'ok', evidence }
  return {
    severity: 'warning',
    evidence: `${evidence}: once they are full further ones are refused, unless some were acknowledged, which make room`,
    fix: 'memory messages inbox --agent NAME shows who gets so many; memory messages ack ID marks one as read; they expire after seven days',
  }
}
