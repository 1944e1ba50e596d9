import * as contract from '../../../contract/sessions/sessions.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createUseMerger } from './merge-uses.js'

/** Uses of tools in sessions (sessions.md#tool-use). */
export const sessionWork: Domain = {
  routes: lateRoutes([contract.sessionWork, contract.fileWork], () => import('./routes.js')),
  workers: [createUseMerger],
}
