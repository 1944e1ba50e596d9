import * as contract from '../../../contract/agents/harness-files.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'

/** Files of coding agents on this machine (skills.md 7 and 8). What it runs ends with the programs of `skills`. */
export const harnessFiles: Domain = {
  routes: lateRoutes([contract.listHarnesses, contract.regenerateHarnesses], () => import('./routes.js')),
}
