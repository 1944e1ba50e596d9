import * as contract from '../../../contract/sessions/synthesis.js'
import { route } from '../../platform/http/bind.js'
import { synthesis as project, synthesisConfig, synthesisGone } from './synthesis.js'
import { queueSynthesis, synthesisJob } from './synthesis-worker.js'

export const routes = [
  route(contract.synthesisConfig, daemon => synthesisConfig(daemon)),
  route(contract.synthesis, (daemon, { caller, body }) => project(daemon, caller, body)),
  route(contract.synthesisComplete, async () => synthesisGone),
  route(contract.triggerSynthesis, async daemon => {
    const jobId = await queueSynthesis(daemon)
    daemon.wake(synthesisJob)
    return { status: 'queued' as const, jobId }
  }),
]
