import * as contract from '../../../contract/operations/pipeline.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Status, pause and resume of the background work on conversations (operations.md 6). */
export const pipeline: Domain = {
  routes: lateRoutes(
    [contract.pipelineStatus, contract.pausePipeline, contract.resumePipeline],
    () => import('./routes.js'),
  ),
}
