import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemTimers, type Timers } from '../../../lib/timers.js'
import type { EndedLeases } from '../../../store/tables/platform/jobs.js'
import type { Daemon } from '../daemon/daemon.js'

/** Longer than any batch of jobs may take. */
const defaultLeaseTimeoutMs = 300_000
const reapEveryMs = 60_000
/** Dead jobs that go back to the queue in one statement. */
const requeueBatch = 500

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

export interface LeaseReaper {
  /** Gives back every lease there is, since only a process that ended can have taken it, then looks once a minute. */
  start(): Promise<void>
  close(): void
}

export interface LeaseReaperOptions {
  /** Called when jobs went back to the queue. */
  onReturned(): void
  leaseTimeoutMs?: number
  timers?: Timers
}

/** Returns the jobs of workers that died or hang (spec 1, 3.2). */
export function createLeaseReaper(
  deps: Deps,
  { onReturned, leaseTimeoutMs, timers = systemTimers }: LeaseReaperOptions,
): LeaseReaper {
  const state = { closed: false, end: (): void => undefined }
  const reap = async (): Promise<void> => {
    const { pending, dead } = await releaseStaleLeases(deps, leaseTimeoutMs)
    if (pending + dead > 0) deps.log.warn({ pending, dead }, 'leases timed out')
    if (pending > 0) onReturned()
  }
  return {
    start: async () => {
      await releaseStaleLeases(deps, 0)
      if (state.closed) return
      state.end()
      state.end = timers.every(reapEveryMs, () => {
        reap().catch(error => deps.log.warn({ err: error }, 'leases not looked at'))
      })
    },
    close: () => {
      state.closed = true
      state.end()
    },
  }
}

/** Jobs leased for longer than the time-out go back to the queue; those without attempts left are dead (spec 3, 4.4). */
export async function releaseStaleLeases(
  { store, clock }: Pick<Daemon, 'store' | 'clock'>,
  leaseTimeoutMs = defaultLeaseTimeoutMs,
): Promise<EndedLeases> {
  const now = clock()
  const before = new Date(now.getTime() - leaseTimeoutMs)
  return store.tables.jobs.releaseStale(before.toISOString(), now.toISOString())
}

/** Gives every dead job, or those of one kind, all its attempts again (spec 3, 4.4). @returns how many went back. */
export async function requeueDeadJobs(
  { store, clock }: Pick<Daemon, 'store' | 'clock'>,
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
