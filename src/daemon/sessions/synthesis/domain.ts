import * as contract from '../../../contract/sessions/synthesis.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { synthesis as project, synthesisConfig, synthesisGone } from './synthesis.js'
import { createSynthesisWorker, queueSynthesis, synthesisJob } from './synthesis-worker.js'

/** MEMORY.md, the summary of everything (rules.md 4.10). */
export const synthesis: Domain = {
  routes: [
    route(contract.synthesisConfig, daemon => synthesisConfig(daemon)),
    route(contract.synthesis, (daemon, { caller, body }) => project(daemon, caller, body)),
    route(contract.synthesisComplete, async () => synthesisGone),
    route(contract.triggerSynthesis, async daemon => {
      const jobId = await queueSynthesis(daemon)
      daemon.wake(synthesisJob)
      return { status: 'queued' as const, jobId }
    }),
  ],
  jobs: [synthesisJob],
  workers: [createSynthesisWorker],
}
