import * as contract from '../../../contract/sessions/black-box.js'
import { previewContext } from '../../../contract/sessions/preview.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'

/** What sessions got (rules.md 4.11), and a preview of what the next one would get. */
export const blackBox: Domain = {
  routes: lateRoutes(
    [contract.listBlackBoxes, contract.blackBox, previewContext],
    () => import('./routes.js'),
  ),
}
