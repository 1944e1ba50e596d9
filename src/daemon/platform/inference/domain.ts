import * as contract from '../../../contract/platform/inference.js'
import type { Domain } from '../domain.js'
import { lateRoutes } from '../http/late-routes.js'

/** The language model that may be asked. */
export const inference: Domain = {
  routes: lateRoutes([contract.inferenceStatus], () => import('./routes.js')),
}
