import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes, useFollowed, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Facet } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showMessage } from '../parts/toast.js'
import { countText, Fact, SafeLink, ShortId, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'

type Document = Reply<'GET /api/documents/:id'>
type Status = Document['status']

/** Processing states in order, then final states. */
const statuses = ['queued', 'extracting', 'chunking', 'embedding', 'indexing', 'done', 'failed'] as const

/** Maximum number of rendered chunks; a long document has thousands. */
const shown = 100

/** One document: its origin, its state and its chunks. */
export function DocumentDetail({ id }: { id: string }) {
  const [isRemoving, setRemoving] = useState(false)
  const loaded = useFollowed(
    signal => call('GET /api/documents/:id', { params: { id } }, { signal }),
    [id],
    ({ status }) => isInProgress(status),
  )
  const { value: document, error } = loaded
  if (error) return <Failure error={error} retry={loaded.reload} />
  if (!document) return <Loading />
  return (
    <>
      <div class="head-line">
        <h2 class="words">{titleOf(document)}</h2>
        {may('documents') && (
          <button type="button" class="plain" onClick={() => setRemoving(true)}>
            Remove…
          </button>
        )}
      </div>
      <Facts document={document} />
      <Chunks id={id} count={document.chunk_count} />
      {isRemoving && <Remove document={document} onClose={() => setRemoving(false)} />}
    </>
  )
}

function Facts({ document }: { document: Document }) {
  const { status, error, source_url: url, content_type: type, project, connector_id: connector } = document
  return (
    <dl class="facts card">
      <Fact title="State">
        <State status={status} error={error} />
      </Fact>
      {url && (
        <Fact title="Origin">
          <SafeLink address={url} />
        </Fact>
      )}
      {type && <Fact title="Type">{type}</Fact>}
      {project && <Fact title="Project">{project}</Fact>}
      {connector && (
        <Fact title="Connector">
          <a href={addressOf('sources', ['connectors', connector])}>{connector}</a>
        </Fact>
      )}
      <Fact title="Added">
        <Time at={document.created_at} />
      </Fact>
      <Fact title="Indexed">
        <Time at={document.completed_at} />
      </Fact>
    </dl>
  )
}

function Chunks({ id, count }: { id: string; count: number }) {
  const chunks = useLoaded(
    signal => call('GET /api/documents/:id/chunks', { params: { id } }, { signal }),
    [id, count],
  )
  if (chunks.error) return <Failure error={chunks.error} retry={chunks.reload} />
  const all = chunks.value?.chunks ?? []
  if (all.length === 0) return null
  return (
    <section class="stack" aria-label="Passages">
      <h2>Passages</h2>
      <ol class="plain-list lined">
        {all.slice(0, shown).map(({ id: chunk, content, heading, page }) => (
          <li key={chunk}>
            <p class="dim">{[heading, page && `page ${page}`].filter(Boolean).join(', ')}</p>
            <p class="words">{content}</p>
          </li>
        ))}
      </ol>
      {all.length > shown && <p class="dim">And {all.length - shown} more.</p>}
    </section>
  )
}

function Remove({ document, onClose }: { document: Document; onClose: () => void }) {
  const title = titleOf(document)
  const act = async (reason: string) => {
    const request = { params: { id: document.id }, query: { reason } }
    const { memoriesRemoved } = await call('DELETE /api/documents/:id', request)
    changes.value++
    showMessage(`Removed with ${countText(memoriesRemoved, 'passage')}`)
    navigate(addressOf('sources', ['documents']))
  }
  return (
    <Confirm
      title="Remove this document?"
      deed="Remove"
      reason="no longer needed"
      act={act}
      onClose={onClose}
    >
      <p class="words">
        {title} and its {countText(document.chunk_count, 'passage')} will no longer be found. The original is
        not deleted.
      </p>
    </Confirm>
  )
}

function isInProgress(status: Status): boolean {
  return !['done', 'failed', 'deleted'].includes(status)
}

const columns: readonly Column<Document>[] = [
  { title: 'Title', width: 'minmax(0, 1fr)', cell: document => titleOf(document) },
  {
    title: 'Type',
    width: '5rem',
    wide: true,
    cell: ({ source_type: kind }) => <span class="dim">{kind}</span>,
  },
  {
    title: 'State',
    width: 'minmax(6rem, 14rem)',
    cell: ({ status, error }) => <State {...{ status, error }} />,
  },
  { title: 'Passages', width: '5rem', wide: true, cell: ({ chunk_count: count }) => count },
  { title: 'Added', width: '10rem', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Id', width: '7rem', wide: true, cell: ({ id }) => <ShortId id={id} /> },
]

function titleOf({ title, source_url: url, id }: Document): string {
  return title ?? url ?? id
}

function State({ status, error }: { status: Status; error: string | null }) {
  if (status === 'failed') return <span class="bad">{error ?? 'failed'}</span>
  return <span class={isInProgress(status) ? 'warn' : undefined}>{status}</span>
}

/** Documents with their state, newest first. */
export function Documents({ onAdd }: { onAdd: () => void }) {
  const [status, setStatus] = useState<Status>()
  const newest = useFollowed(
    signal => call('GET /api/documents', { query: { limit: 1, status } }, { signal }),
    [status, changes.value],
    ({ documents }) => documents.some(one => isInProgress(one.status)),
  )
  const [first] = newest.value?.documents ?? []
  const paged = usePaged(
    async (page, signal) => {
      const { documents, total } = await call(
        'GET /api/documents',
        { query: { ...page, status } },
        { signal },
      )
      return { rows: documents, total }
    },
    [status, changes.value, newest.value?.total, first?.id, first?.status],
  )
  return (
    <div class="with-facets">
      <section class="facets" aria-label="Filters">
        <Facet
          title="State"
          values={statuses.map(value => ({ value }))}
          chosen={status}
          onChoose={value => setStatus(value as Status | undefined)}
        />
      </section>
      <div class="stack list">
        {paged.error && <Failure error={paged.error} retry={paged.reload} />}
        {paged.count === undefined && !paged.error && <Loading />}
        {paged.count === 0 && (
          <Empty title={status ? 'No matching documents' : 'No documents yet'}>
            <p>Texts, web pages and folders of documents are read once and found by searches.</p>
            {may('documents') && (
              <p>
                <button type="button" onClick={onAdd}>
                  Add a document…
                </button>
              </p>
            )}
          </Empty>
        )}
        {paged.count !== undefined && paged.count > 0 && (
          <VirtualTable
            label="Documents"
            columns={columns}
            count={paged.count}
            rowAt={paged.rowAt}
            keyOf={({ id }) => id}
            onNeed={paged.need}
            onOpen={({ id }) => navigate(addressOf('sources', ['documents', id]))}
          />
        )}
      </div>
    </div>
  )
}
