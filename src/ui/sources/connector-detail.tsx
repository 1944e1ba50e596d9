import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/followed.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { doNow } from '../parts/do-now.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Check } from '../parts/fields/field.js'
import { Loading } from '../parts/loading.js'
import { Progress } from '../parts/progress.js'
import { Time } from '../parts/time.js'
import { say } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { go } from '../routing/router.js'
import { folderOf } from './connectors.js'
import { Unread } from './unread.js'

type Connector = Reply<'GET /api/connectors/:id'>

/** One connector: what its last sync brought, what it does now, and what it could not read. */
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
        {may('connectors') && <Deeds connector={connector} onDone={loaded.reload} />}
      </div>
      <Told connector={connector} />
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

function Told({ connector }: { connector: Connector }) {
  const { status, last_error: error, last_sync_at: at, details } = connector
  return (
    <section class="card" aria-label="Condition">
      <p class="line" role="status">
        {details?.progress ? (
          <Progress
            label="Synchronising"
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
            {details.documents.total.toLocaleString()} ({details.documents.done.toLocaleString()} read,{' '}
            {details.documents.reading.toLocaleString()} on their way,{' '}
            {details.documents.failed.toLocaleString()} failed) in {details.chunks.toLocaleString()} chunks
          </Fact>
        )}
        {details?.lastResult && (
          <Fact title="Brought last">
            {details.lastResult.documentsAdded} added, {details.lastResult.documentsUpdated} changed,{' '}
            {details.lastResult.documentsRemoved} removed
          </Fact>
        )}
      </dl>
    </section>
  )
}

function Deeds({ connector, onDone }: { connector: Connector; onDone: () => void }) {
  const [asked, setAsked] = useState<'all' | 'remove'>()
  const end = () => setAsked(undefined)
  const params = { id: connector.id }
  const isBusy = connector.status === 'syncing'
  const sync = () =>
    doNow(
      () => call('POST /api/connectors/:id/sync', { params }),
      'It synchronises in the background',
      onDone,
    )
  const syncAll = async () => {
    await call('POST /api/connectors/:id/sync/full', { params, query: { confirm: true } })
    say('All of it is read in the background')
    onDone()
  }
  return (
    <p class="line">
      <button type="button" disabled={isBusy} onClick={sync}>
        Synchronise
      </button>
      <button type="button" class="plain" disabled={isBusy} onClick={() => setAsked('all')}>
        Read all again…
      </button>
      <button type="button" class="plain" onClick={() => setAsked('remove')}>
        Remove…
      </button>
      {asked === 'all' && (
        <Confirm title="Read all of it again?" deed="Read all" act={syncAll} onClose={end} isMild>
          <p>
            Every document of {folderOf(connector)} is read anew, also what looks unchanged:{' '}
            {connector.details?.documents.total ?? 0} by now.
          </p>
        </Confirm>
      )}
      {asked === 'remove' && <Remove connector={connector} onClose={end} />}
    </p>
  )
}

function Remove({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const [cascade, setCascade] = useState(false)
  const { id, display_name: name, details } = connector
  const act = async () => {
    const request = { params: { id }, query: { cascade } }
    const { documentsRemoved = 0, memoriesRemoved = 0 } = await call('DELETE /api/connectors/:id', request)
    changes.value++
    say(
      cascade
        ? `Removed, with ${documentsRemoved} documents and ${memoriesRemoved} chunks`
        : `${name} is removed; its documents stay`,
    )
    go(addressOf('sources', ['connectors']))
  }
  return (
    <Confirm title="Remove this connector?" deed="Remove" act={act} onClose={onClose}>
      <p class="words">
        {name} is no longer synchronised. {folderOf(connector)} is not touched.
      </p>
      <Check checked={cascade} onChange={setCascade}>
        Also the documents that it brought: {details?.documents.total ?? 0} in {details?.chunks ?? 0} chunks
      </Check>
    </Confirm>
  )
}
