import * as contract from '../../../contract/agents/harness-files.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/**
 * Lists and regenerates files of coding agents on this machine (skills.md 7 and 8). The `skills` domain ends
 * its programs.
 */
export const harnessFiles: Domain = {
  routes: lateRoutes(
    [
      contract.listHarnesses,
      contract.regenerateHarnesses,
      contract.listConnections,
      contract.connectHarness,
      contract.importEarlierSessions,
    ],
    () => import('./routes.js'),
  ),
}
