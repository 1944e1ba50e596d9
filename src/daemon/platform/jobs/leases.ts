import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { LeaseRecovery } from '../../../store/tables/platform/jobs.js'
import type { Ground } from '../../ground/ground.js'
import type { Worker } from './worker.js'

/** Longer than any batch of jobs may take. */
const defaultLeaseTimeoutMs = 300_000
const reapEveryMs = 60_000
/** Dead jobs requeued per statement. */
const requeueBatch = 500

type Deps = Pick<Ground, 'store' | 'clock' | 'log'>

export interface LeaseReaperOptions {
  /** Called when jobs went back to the queue. */
  onReturned(): void
  leaseTimeoutMs?: number
  timers?: Timers
}

const maxDelayMs = 30_000
const jitterMs = 500

/** Checks once a minute for jobs of hung workers, and requeues them (rules.md 3.2). */
export function createLeaseReaper(
  deps: Deps,
  { onReturned, leaseTimeoutMs, timers = systemTimers }: LeaseReaperOptions,
): Worker {
  let endLook = (): void => undefined
  const reap = async (): Promise<void> => {
    const { pending, dead } = await releaseStaleLeases(deps, leaseTimeoutMs)
    if (pending + dead > 0) deps.log.warn({ pending, dead }, 'leases timed out')
    if (pending > 0) onReturned()
  }
  return {
    start: () => {
      endLook = timers.every(reapEveryMs, () => {
        reap().catch(error => deps.log.warn({ err: error }, 'lease check failed'))
      })
    },
    close: async () => endLook(),
  }
}

/** Releases the leases of ended processes: all but those of other daemons that share the database. */
export async function releaseAllLeases({ store, clock }: Pick<Ground, 'store' | 'clock'>): Promise<void> {
  await store.tables.jobs.releaseAtStart(clock().toISOString())
}

/** Requeues jobs leased longer than the time-out; those without attempts left become dead (rules.md 3.2). */
export async function releaseStaleLeases(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  leaseTimeoutMs = defaultLeaseTimeoutMs,
): Promise<LeaseRecovery> {
  const now = clock()
  const before = new Date(now.getTime() - leaseTimeoutMs)
  return store.tables.jobs.releaseStale(before.toISOString(), now.toISOString())
}

/** Jobs that `releaseStaleLeases` would release now, at most `limit`; `isLast`: no attempts left. */
export async function staleLeases(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  limit: number,
): Promise<{ kind: string; isLast: boolean }[]> {
  const before = new Date(clock().getTime() - defaultLeaseTimeoutMs).toISOString()
  const rows = await store.tables.jobs.stale(before, limit)
  return rows.map(({ kind, attempts, max_attempts }) => ({ kind, isLast: attempts >= max_attempts }))
}

/**
 * Resets the attempts of all dead jobs, or those of one kind (rules.md 3.2). @returns how many were requeued
 */
export async function requeueDeadJobs(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  kind?: string,
): Promise<number> {
  let total = 0
  for (;;) {
    const requeued = await store.tables.jobs.requeueDead(requeueBatch, clock().toISOString(), kind)
    total += requeued
    if (requeued < requeueBatch) return total
    await nextTurn()
  }
}

/**
 * min(1000 ms * 2^failures, 30000 ms) plus up to 500 ms (rules.md 3.2). @param failures in a row, including
 * this one
 */
export function retryDelayMs(failures: number, random: () => number): number {
  return Math.min(1000 * 2 ** failures, maxDelayMs) + random() * jitterMs
}
