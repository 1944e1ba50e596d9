import { eachAtOnce } from '../../../lib/concurrency/one-at-a-time.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { messageOf } from '../../../lib/text/message-of.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { isUnavailable } from '../../../store/faults.js'
import type { JobRow } from '../../../store/tables/platform/jobs.js'
import type { Ground } from '../../ground/ground.js'
import { type Job, type JobKind, readJob } from '../../ground/jobs/job-kind.js'
import { type AttemptOutcome, causeOf, countJobs, createJobMeter, type JobReport } from './job-meter.js'
import { retryDelayMs } from './leases.js'
import type { Worker } from './worker.js'

/** A worker for all jobs of one kind. */
export interface JobWorker extends Worker {
  readonly kind: string
  wake(subject?: string): void
  /** True while it looks for jobs or runs them, not while it waits. */
  busy(): boolean
  report(): JobReport
}

export interface JobWorkerOptions<Payload = undefined> {
  job: JobKind<Payload>
  /** Jobs leased together. */
  batchSize: number
  /**
   * Runs the leased jobs. The signal is aborted when the daemon stops; jobs that throw afterwards run again
   * after the next start. @throws when not all are done: the jobs of the batch then run again one by one.
   * @param giveUp marks a job as failed without retries, with a reason for people; the others count as done
   */
  run(
    jobs: readonly Job<Payload>[],
    signal: AbortSignal,
    giveUp: (job: Job<Payload>, why: string) => void,
  ): Promise<void>
  /**
   * Runs the jobs of a batch separately, this many at once; one that throws fails alone. A retried job runs
   * alone: if it crashes the daemon each time, it must not use up the attempts of others.
   */
  apart?: number
  /** Checked before each batch. When false, no job is leased until the next `wake`. */
  ready?(): boolean | Promise<boolean>
  /** Queues further jobs when none is due. @returns whether there were any */
  refill?(signal: AbortSignal): Promise<boolean>
  /**
   * Does work without jobs, one step per call, while no job is due. @returns whether there may be more
   * @throws as `run`: it is called again after a pause
   */
  jobless?(signal: AbortSignal): Promise<boolean>
  /**
   * True for an outage, such as an unavailable provider: the attempt does not count. A full disk always is
   * one, and so is a database server that does not answer.
   */
  isOutage?(error: unknown): boolean
  /** True for a failure of this job only: the worker continues with the others without a pause. */
  isOwn?(error: unknown): boolean
  timers?: Timers
  /** 0 to 1, as Math.random. */
  random?: () => number
}

export type JobWorkerDeps = Pick<Ground, 'store' | 'clock' | 'log'> & {
  telemetry: Pick<Ground['telemetry'], 'count'>
}

/** A failed attempt. */
interface Failure {
  error: unknown
  durationMs: number
}

/**
 * Runs the jobs of one kind, oldest first, in batches (rules.md 3.2). After a failure that may concern other
 * jobs, it pauses for the retry delay; a `wake` ends the pause for jobs that have not failed.
 */
export function createJobWorker<Payload = undefined>(
  deps: JobWorkerDeps,
  options: JobWorkerOptions<Payload>,
): JobWorker {
  const worker = new JobLoop(deps, options)
  return {
    kind: options.job.kind,
    start: () => worker.wake(),
    wake: () => worker.wake(),
    busy: () => worker.isWorking,
    report: () => worker.report(),
    hear: event => {
      if (event === 'thawed' || event === 'returned') worker.wake()
    },
    close: () => worker.close(),
  }
}

class JobLoop<Payload> {
  readonly #deps: JobWorkerDeps
  readonly #options: JobWorkerOptions<Payload>
  readonly #kind: string
  readonly #timers: Timers
  readonly #random: () => number
  readonly #life = new AbortController()
  readonly #meter = createJobMeter()
  #wanted = false
  /** Consecutive failures. */
  #failures = 0
  /** The database did not answer, so jobs may be leased that nobody runs. */
  #mayHoldLeases = false
  #working: Promise<void> | undefined
  #cancelTimer = (): void => undefined

  constructor(deps: JobWorkerDeps, options: JobWorkerOptions<Payload>) {
    this.#deps = deps
    this.#options = options
    this.#kind = options.job.kind
    this.#timers = options.timers ?? systemTimers
    this.#random = options.random ?? Math.random
  }

  get isWorking(): boolean {
    return this.#working !== undefined
  }

  report(): JobReport {
    const { apart, batchSize } = this.#options
    return { ...this.#meter.report(), maxInFlight: apart ?? batchSize }
  }

  wake(): void {
    this.#wanted = true
    if (this.#isClosed || this.#working) return
    this.#cancelTimer()
    this.#working = this.#work().finally(() => {
      this.#working = undefined
      if (this.#wanted) this.wake()
    })
  }

  async close(): Promise<void> {
    this.#life.abort()
    this.#cancelTimer()
    await this.#working
  }

  get #isClosed(): boolean {
    return this.#life.signal.aborted
  }

  #wakeAfter(ms: number): void {
    this.#cancelTimer()
    if (!this.#isClosed) this.#cancelTimer = this.#timers.after(ms, () => this.wake())
  }

  #rest(ms: number): void {
    this.#wanted = false
    this.#wakeAfter(ms)
  }

  /** True for a stop, a database that is full or gone, or whatever `isOutage` accepts: no job is at fault. */
  #isOutage(error: unknown): boolean {
    const isStorage = storageFault(error) !== undefined || isUnavailable(error)
    return this.#isClosed || isStorage || this.#options.isOutage?.(error) === true
  }

  /** @returns the pause after the failure */
  #countFailure(error: unknown): number {
    this.#failures++
    if (!this.#isOutage(error)) this.#deps.log.warn({ err: error, kind: this.#kind }, 'jobs failed')
    return retryDelayMs(this.#failures, this.#random)
  }

  async #work(): Promise<void> {
    while (this.#wanted && !this.#isClosed) {
      this.#wanted = false
      try {
        while (!this.#isClosed && (await this.#runBatch()));
      } catch (error) {
        this.#mayHoldLeases = true
        this.#rest(this.#countFailure(error))
      }
    }
  }

  /** @returns whether there was a batch and the next may follow at once */
  async #runBatch(): Promise<boolean> {
    if ((await this.#options.ready?.()) === false) return false
    const jobs = await this.#leaseBatch()
    if (jobs.length === 0) return this.#workWithoutJob()
    if (this.#options.apart) return this.#runApart(jobs, this.#options.apart)
    const failure = await this.#attempt(jobs)
    if (!failure) {
      this.#failures = 0
      return true
    }
    if (jobs.length > 1 && !this.#isOutage(failure.error)) return this.#runSingly(jobs)
    return this.#requeue(jobs, failure)
  }

  async #workWithoutJob(): Promise<boolean> {
    const { jobless } = this.#options
    if (!jobless) return false
    const goesOn = await jobless(this.#life.signal)
    if (goesOn) this.#failures = 0
    return goesOn
  }

  /**
   * Runs the jobs of a failed batch one by one, so that only the bad one fails.
   * @returns whether the next batch may follow at once
   */
  async #runSingly(jobs: readonly JobRow[]): Promise<boolean> {
    let goesOn = false
    for (const [position, job] of jobs.entries()) {
      const failure = await this.#attempt([job])
      if (!failure) {
        goesOn = true
        this.#failures = 0
      } else if (this.#isOutage(failure.error)) return this.#requeue(jobs.slice(position), failure)
      else if (await this.#requeue([job], failure)) goesOn = true
    }
    return goesOn
  }

  /** @returns whether the next batch may follow at once */
  async #runApart(jobs: readonly JobRow[], atOnce: number): Promise<boolean> {
    const tried = jobs.findIndex(({ attempts }) => attempts > 1)
    const running = tried === -1 ? jobs : jobs.slice(0, Math.max(1, tried))
    const { store, clock } = this.#deps
    if (running.length < jobs.length)
      await store.tables.jobs.release(idsOf(jobs.slice(running.length)), clock().toISOString())
    let goesOn = true
    const done: JobRow[] = []
    try {
      await eachAtOnce(running, atOnce, async job => {
        const tried = await this.#try([job])
        if (!('error' in tried)) {
          this.#failures = 0
          done.push(...tried.done)
        } else if (!(await this.#requeue([job], tried))) goesOn = false
      })
    } finally {
      await this.#complete(done)
    }
    return goesOn
  }

  /** Runs the jobs and marks them as done. @returns the failure, if any */
  async #attempt(rows: readonly JobRow[]): Promise<Failure | undefined> {
    const tried = await this.#try(rows)
    if ('error' in tried) return tried
    await this.#complete(tried.done)
    return undefined
  }

  /** @returns the finished jobs; jobs given up by `run` are marked as failed */
  async #try(rows: readonly JobRow[]): Promise<Failure | { done: readonly JobRow[] }> {
    const { job, run } = this.#options
    const ended = this.#meter.begin(rows.length)
    const began = performance.now()
    const hopeless = new Map<string, string>()
    try {
      await run(
        rows.map(row => readJob(job, row)),
        this.#life.signal,
        ({ id }, why) => hopeless.set(id, why),
      )
    } catch (error) {
      ended(this.#isOutage(error) ? 'given_up' : 'failed')
      return { error, durationMs: performance.now() - began }
    }
    ended('done')
    const durationMs = performance.now() - began
    const done = rows.filter(({ id }) => !hopeless.has(id))
    this.#count(done, { outcome: 'accepted', cause: null, durationMs })
    if (hopeless.size > 0) {
      const given = rows.filter(({ id }) => hopeless.has(id))
      this.#count(given, { outcome: 'failed', cause: 'error', durationMs })
      await this.#giveUp(hopeless)
    }
    return { done }
  }

  /** @param hopeless reasons by job id */
  async #giveUp(hopeless: ReadonlyMap<string, string>): Promise<void> {
    const { store, clock } = this.#deps
    const now = clock().toISOString()
    await store.write({ until: 'executed' }, async ({ jobs }) => {
      for (const [id, why] of hopeless) await jobs.giveUp([id], why, now)
    })
  }

  #count(rows: readonly JobRow[], end: Omit<AttemptOutcome, 'now'>): void {
    const { telemetry, clock } = this.#deps
    countJobs(telemetry, this.#options.job, rows, { ...end, now: clock() })
  }

  /** Interrupted jobs run again at the next start, so they count neither as failed nor as retried. */
  #countFailures(rows: readonly JobRow[], { error, durationMs }: Failure): void {
    if (this.#isClosed) return
    const isOutage = this.#isOutage(error)
    for (const row of rows) {
      const isLast = !isOutage && row.attempts >= row.max_attempts
      const outcome = isLast ? 'failed' : 'retried'
      this.#count([row], { outcome, cause: causeOf(error, { isOutage }), durationMs })
    }
  }

  async #complete(rows: readonly JobRow[]): Promise<void> {
    if (rows.length === 0) return
    const { store, clock } = this.#deps
    // A completion lost in a power cut only repeats the job, as after a kill.
    await store.write({ until: 'executed' }, ({ jobs }) => jobs.complete(idsOf(rows), clock().toISOString()))
  }

  /** Leases due jobs. When there are none, sets a timer for the next due job. */
  async #leaseBatch(): Promise<JobRow[]> {
    const { store, clock } = this.#deps
    const { batchSize, refill } = this.#options
    if (this.#mayHoldLeases) {
      await store.write({ until: 'executed' }, ({ jobs }) =>
        jobs.releaseOwn(this.#kind, clock().toISOString()),
      )
      this.#mayHoldLeases = false
    }
    // A lease lost in a power cut does no harm: the job's results are lost with it.
    const lease = () =>
      store.write({ until: 'executed' }, ({ jobs }) =>
        jobs.lease(this.#kind, batchSize, clock().toISOString()),
      )
    const due = await lease()
    if (due.length > 0) return due
    if (await refill?.(this.#life.signal)) return lease()
    const next = await store.tables.jobs.nextDue(this.#kind)
    if (next !== undefined) this.#wakeAfter(Math.max(1, Date.parse(next) - clock().getTime()))
    return []
  }

  /**
   * Returns failed jobs to the queue for a retry after a delay, and pauses the worker.
   * @returns true when the worker does not pause, because only this job is concerned
   */
  async #requeue(failed: readonly JobRow[], failure: Failure): Promise<boolean> {
    const { store, clock, log } = this.#deps
    const { error } = failure
    this.#countFailures(failed, failure)
    const { jobs } = store.tables
    const ids = idsOf(failed)
    const [{ attempts } = { attempts: 1 }] = failed
    const now = clock()
    const message = messageOf(error)
    const isOwn = this.#options.isOwn?.(error) === true
    const delayMs = isOwn ? retryDelayMs(attempts, this.#random) : this.#countFailure(error)
    const runAfter = new Date(now.getTime() + delayMs).toISOString()
    if (this.#isOutage(error)) await jobs.release(ids, now.toISOString())
    else await jobs.fail(ids, message, runAfter, now.toISOString())
    if (isOwn) log.warn({ kind: this.#kind, delayMs, err: error }, 'job failed, will retry')
    else this.#rest(delayMs)
    return isOwn
  }
}

function idsOf(jobs: readonly JobRow[]): string[] {
  return jobs.map(({ id }) => id)
}
