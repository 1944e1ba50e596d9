import { type VacuumConversion, vacuumConversion } from '../../../contract/operations/pipeline.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** After this many failures the file stays unconverted. */
export const maxAttempts = 3

type Deps = Pick<Daemon, 'store' | 'clock'>

const none = {
  attempts: 0,
  maxAttempts,
  requestedAt: null,
  startedAt: null,
  completedAt: null,
  updatedAt: null,
  lastError: null,
} as const

/** Status of the database's conversion (operations.md 6.3). */
export async function conversionOf({ store }: Pick<Daemon, 'store'>): Promise<VacuumConversion> {
  const kept = await store.tables.meta.conversion()
  return kept === undefined ? { ...none, state: 'not_required' } : vacuumConversion.parse(JSON.parse(kept))
}

/** Stores a change of the status. @returns the new status. */
export async function noteConversion(
  deps: Deps,
  change: Partial<VacuumConversion>,
): Promise<VacuumConversion> {
  const next = { ...(await conversionOf(deps)), ...change, updatedAt: deps.clock().toISOString() }
  await deps.store.tables.meta.noteConversion(JSON.stringify(next))
  return next
}

/**
 * Runs at start: queues the conversion for a file of an older release and after an interrupted attempt,
 * unless that attempt had already succeeded.
 */
export async function settleConversion(deps: Deps): Promise<void> {
  const { file } = deps.store
  if (!file) return
  const { state, attempts } = await conversionOf(deps)
  const at = deps.clock().toISOString()
  if (file.pages().canShrink) {
    if (state === 'running' || state === 'pending')
      await noteConversion(deps, { state: 'completed', completedAt: at })
    return
  }
  if (state === 'running')
    await noteConversion(deps, { state: attempts >= maxAttempts ? 'failed' : 'pending' })
  else if (state === 'not_required' || state === 'completed')
    await noteConversion(deps, { ...none, state: 'pending', requestedAt: at })
}
