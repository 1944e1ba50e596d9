import type { Traffic } from '../../../lib/concurrency/in-flight.js'
import { type Breather, LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { JobKind } from '../../ground/jobs/job-kind.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { cleanUpUploads } from './uploads/reset.js'
import { isOutage, type WorkDeps } from './work/lease.js'

/** Short slices, because an incoming request waits for the current one. */
const sliceMs = 2

/**
 * Processes one import, which is the job's subject. Attempts without progress are counted in the import
 * itself, because each committed batch resets the count.
 */
export const importJob: JobKind = {
  kind: 'transcript-import',
  maxAttempts: 1_000_000,
  isLocal: true,
  workload: 'memory_capture',
}

/**
 * Creates the worker that processes imports one by one, oldest first; a restart continues after a stop or a
 * kill.
 */
export function createImportWorker(deps: WorkDeps): JobWorker {
  let tidied = false
  return createJobWorker(deps, {
    job: importJob,
    batchSize: 1,
    ready: async () => {
      if (!tidied) await cleanUpUploads(deps)
      tidied = true
      return !isFrozen(deps)
    },
    run: async (jobs, signal) => {
      const { runImport } = await import('./work/run-import.js')
      const work = { ...deps, budget: new PatientBudget(sliceMs, deps.requestsInFlight) }
      for (const { subject } of jobs) await runImport(work, subject, signal)
    },
    isOutage,
  })
}

/** Longest wait for idle traffic; afterwards the worker gets the same time for its slices. */
const longestWaitMs = 10

/**
 * Shares the event loop at low priority: the work pauses while requests are served. Under constant traffic it
 * gets as much time as it waited, so that it never starves.
 */
export class PatientBudget extends LoopBudget {
  readonly #traffic: Traffic
  /** Until this `performance.now()` the work continues despite traffic. */
  #owedUntil = 0

  constructor(sliceMs: number, traffic: Traffic) {
    super(sliceMs)
    this.#traffic = traffic
  }

  override breathe(): Promise<void> | undefined {
    if (this.#traffic.isQuiet() || performance.now() < this.#owedUntil) return super.breathe()
    return this.#giveWay()
  }

  override begin(): Breather {
    return this
  }

  async #giveWay(): Promise<void> {
    const began = performance.now()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), longestWaitMs)
    await this.#traffic.quiet(late.signal)
    clearTimeout(timer)
    const now = performance.now()
    if (!this.#traffic.isQuiet()) this.#owedUntil = now + (now - began)
    await super.breathe()
  }
}
