import { randomUUID } from 'node:crypto'
import { formatMs } from '../../terminal/text.js'
import type { DaemonStatus, DoctorContext, Outcome } from './finding.js'

const fix = 'memory daemon logs'

/**
 * Saves, finds and forgets a memory of its own, private and in a scope that nothing else has, and makes sure that
 * it is gone afterwards.
 */
export async function checkRoundTrip(
  context: DoctorContext,
  { pipeline, storage }: Pick<DaemonStatus, 'pipeline'> & Partial<DaemonStatus>,
): Promise<Outcome> {
  if (storage?.writable === false) return { severity: 'info', evidence: `not tried: ${storage.problem}` }
  if (pipeline.mutationsFrozen) return { severity: 'info', evidence: 'not tried: writes are frozen' }
  const { call, now } = context
  const scope = `doctor-${randomUUID()}`
  const content = `Doctor round trip ${scope}`
  const find = async (id: string) => {
    const { results } = await call('POST /api/memory/recall', { body: { query: content, scope, limit: 5 } })
    return results.some(row => row.id === id)
  }
  const started = now()
  const { id } = await call('POST /api/memory/remember', {
    body: { content, scope, type: 'fact', visibility: 'private', importance: 0, tags: 'doctor' },
  })
  const saved = now()
  const times = { found: false, recalledAt: saved }
  try {
    times.found = await find(id)
    times.recalledAt = now()
  } finally {
    await call('DELETE /api/memory/:id', { params: { id }, body: { reason: 'doctor round trip' } })
  }
  const forgotten = now()
  if (!times.found) return { severity: 'error', evidence: `saved ${id}, but recall does not find it`, fix }
  if (await find(id)) return { severity: 'error', evidence: `forgot ${id}, but recall still finds it`, fix }
  const spans = [
    `saved in ${formatMs(saved - started)}`,
    `recalled in ${formatMs(times.recalledAt - saved)}`,
    `forgotten in ${formatMs(forgotten - times.recalledAt)}`,
  ]
  return { severity: 'ok', evidence: spans.join(', ') }
}
