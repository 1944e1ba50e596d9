import * as contract from '../../../contract/knowledge/connectors.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { brokenOff, SyncRuns, syncRuns } from './sync-runs.js'

/** Connectors: places whose documents are synchronised on demand (connectors.md). */
export const connectors: Domain = {
  routes: lateRoutes(
    [
      contract.listConnectors,
      contract.registerConnector,
      contract.getConnector,
      contract.syncConnector,
      contract.fullSyncConnector,
      contract.removeConnector,
      contract.connectorHealth,
    ],
    () => import('./routes.js'),
  ),
  workers: [daemon => syncRuns.keep(daemon, new SyncRuns(daemon))],
  recoverHeld: async daemon => {
    const running = syncRuns.ifKept(daemon)?.running() ?? []
    await daemon.store.tables.connectors.endLeft(running, brokenOff, daemon.clock().toISOString())
  },
}
