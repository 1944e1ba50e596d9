import { basename, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import type {
  Connector,
  ConnectorDetails,
  NewConnectorBody,
  SyncResult,
} from '../../../contract/knowledge/connectors.js'
import * as contract from '../../../contract/knowledge/connectors.js'
import type { ConnectorRow } from '../../../store/tables/knowledge/connectors.js'
import { assertInScope } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { assertMayRead, givenTo } from '../../platform/auth/given-folders.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { rootOf } from './filesystem-settings.js'
import { removeDocuments } from './remove-documents.js'
import type { SyncProgress } from './sync-filesystem.js'
import { syncRuns } from './sync-runs.js'

/** Rows per statement. */
const batch = 500

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

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration'>

/**
 * Registers a connector; its settings are only checked by the first sync (connectors.md#settings).
 * @throws AppError `forbidden` for a folder named by a caller on another machine, or one that the credential
 * may not have read
 */
async function registerConnector(
  { store, clock, newId, configuration }: Deps,
  caller: Caller,
  { provider, displayName, settings }: NewConnectorBody,
): Promise<{ id: string }> {
  assertMayWrite(caller)
  if (provider === 'filesystem' && !isOnThisMachine(caller))
    throw new AppError('forbidden', "folders are only read for callers on the daemon's machine")
  const now = clock().toISOString()
  const id = newId()
  const config = JSON.stringify({ ...settings, givenTo: givenTo(caller) })
  const root = rootOf(config)
  if (provider === 'filesystem' && root !== undefined) await assertMayRead({ configuration }, caller, root)
  await store.tables.connectors.insert({
    id,
    provider,
    display_name: displayName ?? (basename(root ?? '') || provider),
    status: 'idle',
    config_json: config,
    cursor_json: JSON.stringify({ lastSyncAt: new Date(0).toISOString(), version: 1 }),
    last_sync_at: null,
    last_error: null,
    created_at: now,
    updated_at: now,
  })
  return { id }
}

/**
 * Documents of connectors belong to the default agent and to no project, so credentials confined elsewhere
 * cannot add any.
 * @throws AppError `scope_violation`
 */
function assertMayWrite({ access: { scope } }: Caller): void {
  assertInScope(scope, 'agent', defaultAgent)
  const confined = scope.project ?? scope.user
  if (confined !== undefined)
    throw new AppError(
      'scope_violation',
      'connector documents belong to no project, and this credential is limited to one',
    )
}

/** @throws AppError `not_found` */
async function findConnector({ store }: Pick<Daemon, 'store'>, id: string): Promise<ConnectorRow> {
  const row = await store.tables.connectors.find(id)
  if (!row) throw notFound(`connector ${id} not found`, 'see memory connectors list')
  return row
}

function toConnector(row: ConnectorRow): Connector {
  return {
    ...row,
    provider: row.provider as Connector['provider'],
    status: row.status as Connector['status'],
  }
}

/** Reports a connector's documents and its current activity. */
async function detailsOf(
  { store }: Pick<Daemon, 'store'>,
  id: string,
  progress: SyncProgress | undefined,
): Promise<ConnectorDetails> {
  const counts = await store.tables.connectorFiles.countsOf(id)
  const result = await store.tables.connectors.resultOf(id)
  const count = (status: string) => counts.find(one => one.status === status)?.count ?? 0
  const total = counts.reduce((sum, one) => sum + one.count, 0)
  const documents = { total, done: count('done'), failed: count('failed') }
  return {
    documents: { ...documents, reading: total - documents.done - documents.failed },
    chunks: counts.reduce((sum, { chunks }) => sum + chunks, 0),
    progress: progress ?? null,
    lastResult: result === undefined ? null : (JSON.parse(result) as SyncResult),
  }
}

/** Counts the documents below the folder of a connector, including those added in other ways. */
async function documentsBelow(
  { store }: Pick<Daemon, 'store'>,
  { config_json }: ConnectorRow,
): Promise<number> {
  const root = rootOf(config_json)
  if (root === undefined) return 0
  const prefix = root.endsWith(sep) ? root : root + sep
  // The smallest text after all texts with this prefix.
  const end = prefix.slice(0, -1) + String.fromCharCode(sep.charCodeAt(0) + 1)
  return store.tables.connectorFiles.countBetween(prefix, end)
}

type RemoveDeps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'configuration'>

/**
 * Removes a connector, with `cascade` its documents first, so that an interrupted removal can be repeated
 * (connectors.md#removing). Files themselves are never touched.
 */
async function removeConnector(
  deps: RemoveDeps,
  caller: Caller,
  { id, cascade }: { id: string; cascade: boolean },
): Promise<{ deleted: true; documentsRemoved?: number; memoriesRemoved?: number }> {
  const { connectors, connectorFiles } = deps.store.tables
  const removed = { documents: 0, memories: 0 }
  while (cascade) {
    const ids = await connectorFiles.documentsOf(id, batch)
    if (ids.length === 0) break
    const { documents, memories } = await removeDocuments(deps, caller, id, {
      ids,
      reason: 'connector removed',
    })
    removed.documents += documents
    removed.memories += memories
  }
  for (;;) {
    const files = await connectorFiles.page(id, '', batch)
    if (files.length === 0) break
    await connectorFiles.forget(
      id,
      files.map(({ path }) => path),
    )
    await nextTurn()
  }
  await connectors.remove(id)
  if (!cascade) return { deleted: true }
  return { deleted: true, documentsRemoved: removed.documents, memoriesRemoved: removed.memories }
}
