import { type VacuumConversion, vacuumConversion } from '../../../contract/operations/pipeline.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** After so many failures the file stays as it is. */
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

/** How the conversion of the database stands (operations.md 6.3). */
export async function conversionOf({ store }: Pick<Daemon, 'store'>): Promise<VacuumConversion> {
  const kept = await store.tables.meta.conversion()
  return kept === undefined ? { ...none, state: 'not_required' } : vacuumConversion.parse(JSON.parse(kept))
}

/** Writes down what has changed of it. @returns how it stands now. */
export async function noteConversion(
  deps: Deps,
  change: Partial<VacuumConversion>,
): Promise<VacuumConversion> {
  const next = { ...(await conversionOf(deps)), ...change, updatedAt: deps.clock().toISOString() }
  await deps.store.tables.meta.noteConversion(JSON.stringify(next))
  return next
}

/**
 * At a start: a file of an older release waits to be converted, and so does one whose conversion a kill cut short,
 * unless that was done when it came.
 */
export async function settleConversion(deps: Deps): Promise<void> {
  const { state, attempts } = await conversionOf(deps)
  const at = deps.clock().toISOString()
  if (deps.store.file.pages().canShrink) {
    if (state === 'running' || state === 'pending')
      await noteConversion(deps, { state: 'completed', completedAt: at })
    return
  }
  if (state === 'running')
    await noteConversion(deps, { state: attempts >= maxAttempts ? 'failed' : 'pending' })
  else if (state === 'not_required' || state === 'completed')
    await noteConversion(deps, { ...none, state: 'pending', requestedAt: at })
}
