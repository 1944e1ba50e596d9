import * as contract from '../../../contract/operations/settings-file.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Reads and writes agent.yaml over the API (rules.md#settings). */
export const settings: Domain = {
  routes: lateRoutes([contract.readSettings, contract.writeSettings], () => import('./routes.js')),
}
