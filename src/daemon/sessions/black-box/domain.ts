import * as contract from '../../../contract/sessions/black-box.js'
import { previewContext } from '../../../contract/sessions/preview.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Events of a session (rules.md 4.11), and a preview of the next start. */
export const blackBox: Domain = {
  routes: lateRoutes(
    [contract.listBlackBoxes, contract.blackBox, contract.sessionActivity, previewContext],
    () => import('./routes.js'),
  ),
}
