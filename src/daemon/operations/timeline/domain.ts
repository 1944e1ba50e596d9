import * as contract from '../../../contract/operations/timeline.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** The history of one memory, session, document, source or entity (timeline.md). */
export const timeline: Domain = {
  routes: lateRoutes([contract.timeline, contract.exportTimeline], () => import('./routes.js')),
}
