import * as contract from '../../../contract/platform/inference.js'
import type { Domain } from '../domain.js'
import { lateRoutes } from '../http/bind-all.js'

/** Status of the language model. */
export const inference: Domain = {
  routes: lateRoutes([contract.inferenceStatus], () => import('./routes.js')),
}
