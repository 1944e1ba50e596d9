import type { DoctorContext, Outcome } from './finding.js'

/** Share of all that the inboxes take from which on they are nearly full. */
const nearlyFull = 0.9

/** Full inboxes refuse new messages: somebody does not read theirs. */
export async function checkMessages({ call }: DoctorContext): Promise<Outcome> {
  const { capacity } = await call('GET /api/cross-agent/messages', { query: { limit: 1 } })
  const { live, limit } = capacity
  const evidence = `${live} of ${limit} messages wait or are kept`
  if (live < limit * nearlyFull) return { severity: 'ok', evidence }
  return {
    severity: 'warning',
    evidence: `${evidence}: further ones are refused soon`,
    fix: 'memory messages inbox --agent NAME shows who gets so many; they expire after seven days',
  }
}
