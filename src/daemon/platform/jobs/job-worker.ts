import { storageFault } from '../../../lib/storage-fault.js'
import { systemTimers, type Timers } from '../../../lib/timers.js'
import type { JobRow } from '../../../store/tables/platform/jobs.js'
import type { Daemon } from '../daemon/daemon.js'
import { retryDelayMs } from './retry-delay.js'

export interface JobWorker {
  /** Looks for work soon; calls while it works are one more look. */
  wake(): void
  /** True while it looks for work or does it, not while it waits. */
  busy(): boolean
  /** Ends after the batch in hand. */
  close(): Promise<void>
}

export interface JobWorkerOptions {
  kind: string
  /** Jobs that are leased together. */
  batchSize: number
  /** Does the leased jobs. @throws when not all are done: those of a batch then run again one by one. */
  run(jobs: readonly JobRow[]): Promise<void>
  /** Asked before each batch. False: nothing is leased until the next `wake`. */
  ready?(): boolean | Promise<boolean>
  /** Queues further jobs when none is due. @returns whether there were any. */
  refill?(): Promise<boolean>
  /** True for a failure that says nothing about the jobs: their attempt does not count. A full disk is always one. */
  isOutage?(error: unknown): boolean
  /** True for a failure of the job alone: the others do not rest for it. */
  isOwn?(error: unknown): boolean
  timers?: Timers
  /** 0 to 1, as Math.random. */
  random?: () => number
}

type Deps = Pick<Daemon, 'store' | 'clock' | 'log'>

interface State {
  wanted: boolean
  closed: boolean
  /** Failures in a row; a success resets it. */
  failures: number
  working: Promise<void> | undefined
  cancelTimer: () => void
}

/**
 * Works on the jobs of one kind, oldest first, a batch at a time (spec 1, 3.2). After a failure that may befall others
 * too it rests for as long as its jobs do; a `wake` ends the rest for the other jobs.
 */
export function createJobWorker(deps: Deps, options: JobWorkerOptions): JobWorker {
  const { timers = systemTimers, random = Math.random } = options
  const state: State = {
    wanted: false,
    closed: false,
    failures: 0,
    working: undefined,
    cancelTimer: () => undefined,
  }
  const wake = (): void => {
    state.wanted = true
    if (state.closed || state.working) return
    state.cancelTimer()
    state.working = work().finally(() => {
      state.working = undefined
      if (state.wanted) wake()
    })
  }
  const isOutage = (error: unknown): boolean =>
    storageFault(error) !== undefined || options.isOutage?.(error) === true
  const wakeAfter = (ms: number): void => {
    state.cancelTimer()
    if (!state.closed) state.cancelTimer = timers.after(ms, wake)
  }
  const countFailure = (error: unknown): number => {
    state.failures++
    if (!isOutage(error)) deps.log.warn({ err: error, kind: options.kind }, 'jobs failed')
    return retryDelayMs(state.failures, random)
  }
  const rest = (ms: number): void => {
    state.wanted = false
    wakeAfter(ms)
  }
  return {
    wake,
    busy: () => state.working !== undefined,
    close: async () => {
      state.closed = true
      state.cancelTimer()
      await state.working
    },
  }

  async function work(): Promise<void> {
    while (state.wanted && !state.closed) {
      state.wanted = false
      try {
        while (!state.closed && (await runBatch()));
      } catch (error) {
        rest(countFailure(error))
      }
    }
  }

  /** @returns whether there was a batch and the next may follow at once. */
  async function runBatch(): Promise<boolean> {
    if ((await options.ready?.()) === false) return false
    const jobs = await leaseBatch()
    if (jobs.length === 0) return false
    const failure = await attempt(jobs)
    if (!failure) {
      state.failures = 0
      return true
    }
    if (jobs.length > 1 && !isOutage(failure.error)) return runSingly(jobs)
    return giveBack(jobs, failure.error)
  }

  /** One bad job must not fail the others of its batch. @returns whether the next may follow at once. */
  async function runSingly(jobs: readonly JobRow[]): Promise<boolean> {
    let goesOn = false
    for (const [position, job] of jobs.entries()) {
      const failure = await attempt([job])
      if (!failure) {
        goesOn = true
        state.failures = 0
      } else if (isOutage(failure.error)) return giveBack(jobs.slice(position), failure.error)
      else if (await giveBack([job], failure.error)) goesOn = true
    }
    return goesOn
  }

  /** @returns the failure; undefined when the jobs are done. */
  async function attempt(jobs: readonly JobRow[]): Promise<{ error: unknown } | undefined> {
    try {
      await options.run(jobs)
    } catch (error) {
      return { error }
    }
    await deps.store.tables.jobs.complete(idsOf(jobs), deps.clock().toISOString())
    return undefined
  }

  /** Without a due job, one that fails later or elsewhere is waited for. */
  async function leaseBatch(): Promise<JobRow[]> {
    const { jobs } = deps.store.tables
    const { kind, batchSize } = options
    const lease = () => jobs.lease(kind, batchSize, deps.clock().toISOString())
    const due = await lease()
    if (due.length > 0) return due
    if (await options.refill?.()) return lease()
    const next = await jobs.nextDue(kind)
    if (next !== undefined) wakeAfter(Math.max(1, Date.parse(next) - deps.clock().getTime()))
    return []
  }

  /**
   * Ends the leases of jobs that failed, or that their provider was away for, and rests.
   * @returns true when there is no rest: the one that failed waits alone.
   */
  async function giveBack(failed: readonly JobRow[], error: unknown): Promise<boolean> {
    const { jobs } = deps.store.tables
    const ids = idsOf(failed)
    const [{ attempts } = { attempts: 1 }] = failed
    const isOwn = options.isOwn?.(error) === true
    const delayMs = isOwn ? retryDelayMs(attempts, random) : countFailure(error)
    const now = deps.clock()
    const runAfter = new Date(now.getTime() + delayMs).toISOString()
    const message = error instanceof Error ? error.message : String(error)
    if (isOutage(error)) await jobs.release(ids, now.toISOString())
    else await jobs.fail(ids, message, runAfter, now.toISOString())
    if (isOwn) deps.log.warn({ kind: options.kind, delayMs, err: error }, 'job failed, will retry')
    else rest(delayMs)
    return isOwn
  }
}

function idsOf(jobs: readonly JobRow[]): string[] {
  return jobs.map(({ id }) => id)
}
