import * as contract from '../../../contract/operations/system.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Counts and sizes for Prometheus (metrics.md). */
export const metrics: Domain = {
  routes: lateRoutes([contract.metrics], () => import('./routes.js')),
}
