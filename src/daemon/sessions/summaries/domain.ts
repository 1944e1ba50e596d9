import * as contract from '../../../contract/sessions/summaries.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createNodeRescan } from './rescan-nodes.js'

/** Summaries of sessions with their sources (rules.md 4.11). */
export const summaries: Domain = {
  routes: lateRoutes([contract.listSummaries, contract.expandSummary], () => import('./routes.js')),
  workers: [createNodeRescan],
}
