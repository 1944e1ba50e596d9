import * as contract from '../../../contract/operations/settings-file.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'

/** agent.yaml for those who edit it elsewhere than in a file (rules.md#settings). */
export const settings: Domain = {
  routes: lateRoutes([contract.readSettings, contract.writeSettings], () => import('./routes.js')),
}
