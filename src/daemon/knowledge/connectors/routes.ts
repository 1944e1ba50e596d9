import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/knowledge/connectors.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import {
  assertMayWrite,
  detailsOf,
  documentsBelow,
  findConnector,
  registerConnector,
  removeConnector,
  toConnector,
} from './registry.js'
import { syncRuns } from './sync-runs.js'

export const routes = [
  route(contract.listConnectors, async ({ store }) => {
    const rows = await store.tables.connectors.list()
    return { connectors: rows.map(toConnector), count: rows.length }
  }),
  route(contract.registerConnector, (daemon, { caller, body }) => registerConnector(daemon, caller, body)),
  route(contract.getConnector, async (daemon, { params: { id }, query }) => {
    const row = toConnector(await findConnector(daemon, id))
    if (!query.details) return row
    return { ...row, details: await detailsOf(daemon, id, syncRuns.of(daemon).progressOf(id)) }
  }),
  route(contract.syncConnector, (daemon, { caller, params }) => beginSync(daemon, caller, params.id, false)),
  route(contract.fullSyncConnector, (daemon, { caller, params, query }) => {
    if (query.confirm !== 'true')
      throw new AppError('confirm_required', 'a full sync reads every file again: add ?confirm=true')
    return beginSync(daemon, caller, params.id, true)
  }),
  route(contract.removeConnector, async (daemon, { caller, params: { id }, query: { cascade } }) => {
    assertMayWrite(caller)
    await findConnector(daemon, id)
    return syncRuns.of(daemon).whileLeaving(id, () => removeConnector(daemon, caller, { id, cascade }))
  }),
  route(contract.connectorHealth, async (daemon, { params }) => {
    const row = await findConnector(daemon, params.id)
    const { id, status, last_sync_at: lastSyncAt, last_error: lastError } = toConnector(row)
    return { id, status, lastSyncAt, lastError, documentCount: await documentsBelow(daemon, row) }
  }),
]

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
      `connectors of ${connector.provider} can be registered but not synced yet; only filesystem connectors can`,
    )
  const message = await syncRuns.of(daemon).begin(connector, full)
  return { status: 'syncing', ...(message !== undefined && { message }) }
}
