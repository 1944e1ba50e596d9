import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes, useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Check } from '../parts/fields.js'
import { Empty, Failure, Loading, Progress } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { countText, Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { Unread } from './unread.js'

export type Connector = Reply<'GET /api/connectors'>['connectors'][number]

const tones = { idle: undefined, syncing: 'warn', error: 'bad' } as const

const columns: readonly Column<Connector>[] = [
  { title: 'Name', width: 'minmax(7rem, 1fr)', cell: ({ display_name: name }) => name },
  {
    title: 'Folder',
    width: 'minmax(0, 1fr)',
    wide: true,
    cell: connector => <span class="dim">{folderOf(connector)}</span>,
  },
  {
    title: 'State',
    width: 'minmax(6rem, 16rem)',
    cell: ({ status, last_error: error }) => <span class={tones[status]}>{error ?? status}</span>,
  },
  { title: 'Last sync', width: '10rem', cell: ({ last_sync_at: at }) => <Time at={at} /> },
]

type ShownConnector = Reply<'GET /api/connectors/:id'>

/** One connector: the result of its last sync, its state and its failures. */
export function ConnectorDetail({ id }: { id: string }) {
  const loaded = useFollowed(
    signal => call('GET /api/connectors/:id', { params: { id }, query: { details: true } }, { signal }),
    [id],
    ({ status, details }) => status === 'syncing' || (details?.documents.reading ?? 0) > 0,
  )
  const { value: connector, error } = loaded
  if (error) return <Failure error={error} retry={loaded.reload} />
  if (!connector) return <Loading />
  const result = connector.details?.lastResult
  return (
    <>
      <div class="head-line">
        <h2 class="words">{connector.display_name}</h2>
        {may('connectors') && <ConnectorActions connector={connector} onDone={loaded.reload} />}
      </div>
      <ConnectorFacts connector={connector} />
      {result && (
        <Unread
          total={result.errorCount}
          rows={result.errors.map(({ resourceId, message, retryable }) => ({
            path: resourceId,
            message,
            isPassing: retryable,
          }))}
        />
      )}
    </>
  )
}

function ConnectorFacts({ connector }: { connector: ShownConnector }) {
  const { status, last_error: error, last_sync_at: at, details } = connector
  return (
    <section class="card" aria-label="Status">
      <p class="line" role="status">
        {details?.progress ? (
          <Progress
            label="Syncing"
            done={details.progress.taken + details.progress.removed}
            total={details.progress.listed || null}
          />
        ) : (
          <strong>{status}</strong>
        )}
      </p>
      {error && <p class="bad words">{error}</p>}
      <dl class="facts">
        <Fact title="Folder">{folderOf(connector)}</Fact>
        <Fact title="Last sync">
          <Time at={at} />
        </Fact>
        {details && (
          <Fact title="Documents">
            {details.documents.total.toLocaleString()} ({details.documents.done.toLocaleString()} indexed,{' '}
            {details.documents.reading.toLocaleString()} in progress,{' '}
            {details.documents.failed.toLocaleString()} failed) in {countText(details.chunks, 'passage')}
          </Fact>
        )}
        {details?.lastResult && (
          <Fact title="Last result">
            {details.lastResult.documentsAdded} added, {details.lastResult.documentsUpdated} changed,{' '}
            {details.lastResult.documentsRemoved} removed
          </Fact>
        )}
      </dl>
    </section>
  )
}

function ConnectorActions({ connector, onDone }: { connector: ShownConnector; onDone: () => void }) {
  const [asked, setAsked] = useState<'all' | 'remove'>()
  const end = () => setAsked(undefined)
  const params = { id: connector.id }
  const isBusy = connector.status === 'syncing'
  const sync = () =>
    runAndReport(() => call('POST /api/connectors/:id/sync', { params }), 'Sync started', onDone)
  const syncAll = async () => {
    await call('POST /api/connectors/:id/sync/full', { params, query: { confirm: true } })
    showMessage('Full sync started')
    onDone()
  }
  return (
    <p class="line">
      <button type="button" disabled={isBusy} onClick={sync}>
        Sync
      </button>
      <button type="button" class="plain" disabled={isBusy} onClick={() => setAsked('all')}>
        Full sync…
      </button>
      <button type="button" class="plain" onClick={() => setAsked('remove')}>
        Remove…
      </button>
      {asked === 'all' && (
        <Confirm title="Sync all documents again?" deed="Full sync" act={syncAll} onClose={end} isMild>
          <p>
            All {countText(connector.details?.documents.total ?? 0, 'document')} in {folderOf(connector)} are
            read again, even unchanged ones.
          </p>
        </Confirm>
      )}
      {asked === 'remove' && <Remove connector={connector} onClose={end} />}
    </p>
  )
}

function Remove({ connector, onClose }: { connector: ShownConnector; onClose: () => void }) {
  const [cascade, setCascade] = useState(false)
  const { id, display_name: name, details } = connector
  const act = async () => {
    const request = { params: { id }, query: { cascade } }
    const { documentsRemoved = 0, memoriesRemoved = 0 } = await call('DELETE /api/connectors/:id', request)
    changes.value++
    showMessage(
      cascade
        ? `${name} removed with ${countText(documentsRemoved, 'document')} (${countText(memoriesRemoved, 'passage')})`
        : `${name} removed; its documents are kept`,
    )
    navigate(addressOf('sources', ['connectors']))
  }
  return (
    <Confirm title="Remove this connector?" deed="Remove" act={act} onClose={onClose}>
      <p class="words">
        The sync of {name} ends. Files in {folderOf(connector)} stay as they are.
      </p>
      <Check checked={cascade} onChange={setCascade}>
        Also delete its {countText(details?.documents.total ?? 0, 'document')} (
        {countText(details?.chunks ?? 0, 'passage')})
      </Check>
    </Confirm>
  )
}

/** Returns the folder of a connector, or its provider. */
function folderOf({ config_json: settings, provider }: Connector): string {
  const { rootPath } = JSON.parse(settings) as { rootPath?: unknown }
  return typeof rootPath === 'string' ? rootPath : provider
}

/** Folders whose documents are imported on demand. */
export function Connectors({ onAdd }: { onAdd: () => void }) {
  const loaded = useFollowed(
    signal => call('GET /api/connectors', {}, { signal }),
    [changes.value],
    ({ connectors }) => connectors.some(({ status }) => status === 'syncing'),
  )
  const connectors = loaded.value?.connectors
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!connectors && !loaded.error && <Loading />}
      {connectors?.length === 0 && (
        <Empty title="No connected folders">
          <p>A folder of documents is synced on request; sources are synced automatically.</p>
          {may('documents') && (
            <p>
              <button type="button" onClick={onAdd}>
                Connect a folder…
              </button>
            </p>
          )}
        </Empty>
      )}
      {connectors && connectors.length > 0 && (
        <VirtualTable
          label="Connectors"
          columns={columns}
          count={connectors.length}
          rowAt={position => connectors[position]}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(addressOf('sources', ['connectors', id]))}
        />
      )}
    </>
  )
}
