import * as contract from '../../../contract/knowledge/pickers.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Native dialogs in which a person chooses files to read (sources.md#choosing-in-a-window). */
export const pickers: Domain = {
  routes: lateRoutes([contract.pickFiles, contract.pickDirectory], () => import('./routes.js')),
}
