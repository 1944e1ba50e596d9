import * as contract from '../../../contract/sessions/synthesis.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createSynthesisWorker, synthesisJob } from './synthesis-worker.js'

/** MEMORY.md, the summary of a workspace (rules.md 4.10). */
export const synthesis: Domain = {
  routes: lateRoutes(
    [contract.synthesisConfig, contract.synthesis, contract.synthesisComplete, contract.triggerSynthesis],
    () => import('./routes.js'),
  ),
  jobs: [synthesisJob],
  workers: [createSynthesisWorker],
}
