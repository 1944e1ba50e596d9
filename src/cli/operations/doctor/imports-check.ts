import { countOf } from '../../../lib/count-of.js'
import { plainLine } from '../../text.js'
import type { DoctorContext, Outcome } from './finding.js'

/** The newest of them. */
const looked = 100
/** An upload that nobody went on with for so long is forgotten. */
const staleMs = 7 * 24 * 3_600_000

/** Imports of transcripts that failed, wait for something, or hold room on the disk for an upload that never ended. */
export async function checkImports({ call }: DoctorContext): Promise<Outcome> {
  const { jobs } = await call('GET /api/sources/imports', { query: { limit: looked } })
  const ill = jobs.flatMap(({ id, state, error, updatedAt }) => {
    if (state === 'failed' || state === 'interrupted')
      return [{ why: `${id} ${state}: ${error ?? 'nobody knows why'}`, fix: `memory imports retry ${id}` }]
    if (state === 'staging' && Date.now() - Date.parse(updatedAt) > staleMs)
      return [
        { why: `${id} has waited for its files since ${updatedAt}`, fix: `memory imports cancel ${id}` },
      ]
    return []
  })
  const [first] = ill
  if (!first) return { severity: 'ok', evidence: countOf(jobs.length, 'import') }
  return {
    severity: 'warning',
    evidence: `${ill.length} of ${countOf(jobs.length, 'import')} not in order, ${plainLine(first.why)}`,
    fix: first.fix,
  }
}
