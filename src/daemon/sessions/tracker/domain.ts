import * as contract from '../../../contract/sessions/sessions.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

export const tracker: Domain = {
  routes: lateRoutes(
    [contract.listSessions, contract.getSession, contract.bypassSession],
    () => import('./routes.js'),
  ),
}
