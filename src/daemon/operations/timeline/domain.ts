import * as contract from '../../../contract/operations/timeline.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'

/** What happened to one thing (timeline.md). */
export const timeline: Domain = {
  routes: lateRoutes([contract.timeline, contract.exportTimeline], () => import('./routes.js')),
}
