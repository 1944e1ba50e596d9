import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/knowledge/connectors.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import {
  assertMayWrite,
  detailsOf,
  documentsBelow,
  findConnector,
  registerConnector,
  toConnector,
} from './registry.js'
import { removeConnector } from './remove-connector.js'
import { brokenOff, SyncRuns } from './sync-runs.js'

/** The running syncs of each daemon. */
const runs = keptByDaemon<SyncRuns>()

/** Connectors: places whose documents are synchronised on demand (connectors.md). */
export const connectors: Domain = {
  routes: [
    route(contract.listConnectors, async ({ store }) => {
      const rows = await store.tables.connectors.list()
      return { connectors: rows.map(toConnector), count: rows.length }
    }),
    route(contract.registerConnector, (daemon, { caller, body }) => registerConnector(daemon, caller, body)),
    route(contract.getConnector, async (daemon, { params: { id }, query }) => {
      const row = toConnector(await findConnector(daemon, id))
      if (!query.details) return row
      return { ...row, details: await detailsOf(daemon, id, runs.of(daemon).progressOf(id)) }
    }),
    route(contract.syncConnector, (daemon, { caller, params }) =>
      beginSync(daemon, caller, params.id, false),
    ),
    route(contract.fullSyncConnector, (daemon, { caller, params, query }) => {
      if (query.confirm !== 'true')
        throw new AppError('confirm_required', 'a full sync reads every file again: add ?confirm=true')
      return beginSync(daemon, caller, params.id, true)
    }),
    route(contract.removeConnector, async (daemon, { caller, params: { id }, query: { cascade } }) => {
      assertMayWrite(caller)
      await findConnector(daemon, id)
      return runs.of(daemon).whileLeaving(id, () => removeConnector(daemon, caller, { id, cascade }))
    }),
    route(contract.connectorHealth, async (daemon, { params }) => {
      const row = await findConnector(daemon, params.id)
      const { id, status, last_sync_at: lastSyncAt, last_error: lastError } = toConnector(row)
      return { id, status, lastSyncAt, lastError, documentCount: await documentsBelow(daemon, row) }
    }),
  ],
  workers: [daemon => runs.keep(daemon, new SyncRuns(daemon))],
  recover: async daemon => {
    const running = runs.ifKept(daemon)?.running() ?? []
    await daemon.store.tables.connectors.endLeft(running, brokenOff, daemon.clock().toISOString())
  },
}

async function beginSync(
  daemon: Daemon,
  caller: Caller,
  id: string,
  full: boolean,
): Promise<{ status: 'syncing'; message?: string }> {
  assertMayWrite(caller)
  const connector = await findConnector(daemon, id)
  if (connector.provider !== 'filesystem')
    throw new AppError(
      'not_implemented',
      `connectors of ${connector.provider} can be registered, not synchronised yet; filesystem can`,
    )
  const begun = await runs.of(daemon).begin(connector, full)
  return begun ? { status: 'syncing' } : { status: 'syncing', message: 'Already syncing' }
}
