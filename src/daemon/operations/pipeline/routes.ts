import * as contract from '../../../contract/operations/pipeline.js'
import { route } from '../../platform/http/bind.js'
import { statusOf } from './status.js'
import { pause, resume } from './transitions.js'

export const routes = [
  route(contract.pipelineStatus, (daemon, { caller }) => statusOf(daemon, caller)),
  route(contract.pausePipeline, daemon => pause(daemon)),
  route(contract.resumePipeline, daemon => resume(daemon)),
]
