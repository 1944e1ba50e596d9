import * as contract from '../../../contract/sessions/black-box.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'

/** Events of a session (rules.md 4.11). */
export const blackBox: Domain = {
  routes: lateRoutes([contract.listBlackBoxes, contract.blackBox], () => import('./routes.js')),
}
