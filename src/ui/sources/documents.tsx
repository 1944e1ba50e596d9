import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Facet } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import { ShortId } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'

export type Document = Reply<'GET /api/documents/:id'>
type Status = Document['status']

/** Processing states in order, then final states. */
const statuses = ['queued', 'extracting', 'chunking', 'embedding', 'indexing', 'done', 'failed'] as const

export function isInProgress(status: Status): boolean {
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

export function titleOf({ title, source_url: url, id }: Document): string {
  return title ?? url ?? id
}

export function State({ status, error }: { status: Status; error: string | null }) {
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
