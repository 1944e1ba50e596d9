import * as contract from '../../../contract/operations/pipeline.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { statusOf } from './status.js'
import { pause, resume } from './transitions.js'

/** The background work that draws something from what was said: how it does, and whether it may (operations.md 6). */
export const pipeline: Domain = {
  routes: [
    route(contract.pipelineStatus, daemon => statusOf(daemon)),
    route(contract.pausePipeline, daemon => pause(daemon)),
    route(contract.resumePipeline, daemon => resume(daemon)),
  ],
}
