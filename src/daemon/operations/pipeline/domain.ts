import * as contract from '../../../contract/operations/pipeline.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'

/** The background work that draws something from what was said: how it does, and whether it may (operations.md 6). */
export const pipeline: Domain = {
  routes: lateRoutes(
    [contract.pipelineStatus, contract.pausePipeline, contract.resumePipeline],
    () => import('./routes.js'),
  ),
}
