import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { EndedLeases } from '../../../store/tables/platform/jobs.js'
import type { Ground } from '../../ground/ground.js'
import type { Worker } from './worker.js'

/** Longer than any batch of jobs may take. */
const defaultLeaseTimeoutMs = 300_000
const reapEveryMs = 60_000
/** Dead jobs that go back to the queue in one statement. */
const requeueBatch = 500

type Deps = Pick<Ground, 'store' | 'clock' | 'log'>

export interface LeaseReaperOptions {
  /** Called when jobs went back to the queue. */
  onReturned(): void
  leaseTimeoutMs?: number
  timers?: Timers
}

/** Looks once a minute for jobs of workers that hang, and returns them (rules.md 3.2). */
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
        reap().catch(error => deps.log.warn({ err: error }, 'leases not looked at'))
      })
    },
    close: async () => endLook(),
  }
}

/** Gives back every lease there is: at a start, only a process that ended can have taken it. */
export async function releaseAllLeases(deps: Pick<Ground, 'store' | 'clock'>): Promise<void> {
  await releaseStaleLeases(deps, 0)
}

/**
 * Jobs leased for longer than the time-out go back to the queue; those without attempts left are dead (rules.md 3.2).
 */
export async function releaseStaleLeases(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  leaseTimeoutMs = defaultLeaseTimeoutMs,
): Promise<EndedLeases> {
  const now = clock()
  const before = new Date(now.getTime() - leaseTimeoutMs)
  return store.tables.jobs.releaseStale(before.toISOString(), now.toISOString())
}

/** Jobs that `releaseStaleLeases` would give back now, at most `limit`; `isLast`: they have no attempts left. */
export async function staleLeases(
  { store, clock }: Pick<Ground, 'store' | 'clock'>,
  limit: number,
): Promise<{ kind: string; isLast: boolean }[]> {
  const before = new Date(clock().getTime() - defaultLeaseTimeoutMs).toISOString()
  const rows = await store.tables.jobs.stale(before, limit)
  return rows.map(({ kind, attempts, max_attempts }) => ({ kind, isLast: attempts >= max_attempts }))
}

/** Gives every dead job, or those of one kind, all its attempts again (rules.md 3.2). @returns how many went back. */
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
