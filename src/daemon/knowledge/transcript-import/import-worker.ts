import { type Breather, LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { Traffic } from '../../../lib/concurrency/traffic.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { importJob } from './job.js'
import { cleanUpUploads } from './uploads/reset.js'
import type { WorkDeps } from './work/lease.js'
import { isOutage } from './work/outage.js'

/** Nobody waits for an import, and a request that comes waits for the slice that it is at. */
const sliceMs = 2

/** Takes one import in after the other, oldest first; a start goes on with what a stop or a kill left. */
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

/** Of a wait for a quiet moment; as much time for slices follows it in any case. */
const longestWaitMs = 10

/**
 * Shares the event loop with work that nobody waits for: between its steps it stands still while somebody is served. Never
 * for good, since there may always be somebody: whoever is served for long shares the rest of the time with it.
 */
export class PatientBudget extends LoopBudget {
  readonly #traffic: Traffic
  /** Until when it goes on though somebody is served, as `performance.now()`. */
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
