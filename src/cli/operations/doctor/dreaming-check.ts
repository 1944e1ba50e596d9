import { countOf } from '../../../lib/count-of.js'
import type { DoctorContext, Outcome } from './finding.js'

/** Whether what was said is read again, and whether the last passes came to an end. */
export async function checkDreaming({ call }: DoctorContext): Promise<Outcome> {
  const { mode, enabled, passes, queue } = await call('GET /api/dream/status')
  if (!enabled || mode === 'disabled') return { severity: 'info', evidence: 'off: nothing is read again' }
  if (mode === 'paused')
    return {
      severity: 'info',
      evidence: 'paused: nothing is read again until it is resumed',
      fix: 'memory config set memory.pipelineV2.paused false',
    }
  const ended = passes.filter(({ outcome }) => outcome !== 'running')
  const waiting = Object.values(queue).reduce((sum, count) => sum + count, 0)
  const evidence = `${mode}, ${countOf(waiting, 'thing waits', 'things wait')}, last pass ${ended[0]?.endedAt ?? 'never'}`
  const failed = ended.slice(0, 3).filter(({ outcome }) => outcome === 'failed')
  if (failed.length < 3) return { severity: 'ok', evidence }
  return {
    severity: 'warning',
    evidence: `${evidence}: the last three failed`,
    fix: 'memory daemon logs, then memory dream run --wait',
  }
}
