import { PatientBudget } from '../../../lib/concurrency/patient-budget.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { importJob } from './job.js'
import { cleanUpUploads } from './uploads/reset.js'
import type { WorkDeps } from './work/lease.js'
import { isOutage, runImport } from './work/run-import.js'

/** Nobody waits for an import, and a request that comes waits for the slice that it is at. */
const sliceMs = 2

/** Takes one import in after the other, oldest first; a start goes on with what a stop or a kill left. */
export function createImportWorker(deps: WorkDeps): JobWorker {
  const state = { tidied: false }
  return createJobWorker(deps, {
    job: importJob,
    batchSize: 1,
    ready: async () => {
      if (!state.tidied) await cleanUpUploads(deps)
      state.tidied = true
      return !isFrozen(deps)
    },
    run: async (jobs, signal) => {
      const work = { ...deps, budget: new PatientBudget(sliceMs, deps.requestsInFlight) }
      for (const { subject } of jobs) await runImport(work, subject, signal)
    },
    isOutage,
  })
}
