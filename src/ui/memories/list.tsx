import { useMemo, useState } from 'preact/hooks'
import { labelOf } from '../../lib/text/labels.js'
import type { ApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { chosenProject, type NameOfProject, useProjectNames } from '../api/projects.js'
import { may, tryRecall } from '../api/session.js'
import { ConnectAgents } from '../frame/connect-agents.js'
import { Facet, SearchField } from '../parts/fields.js'
import { openPalette } from '../parts/palette-state.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { useDebounced } from '../parts/use-interval.js'
import { countText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate, replace } from '../routing/router.js'
import { Forget } from './forget.js'
import {
  type FilterName,
  filterNames,
  filterTitles,
  type ListQuery,
  listFilter,
  onlyInLists,
  recallFilter,
} from './list-query.js'
import { lineOfListed, lineOfRecalled, type MemoryLine } from './row.js'

interface BulkBarProps {
  lines: readonly MemoryLine[]
  clear: () => void
  /** Called after the memories were forgotten. */
  onForgotten: () => void
}

/** Actions on all selected memories. */
function BulkBar({ lines, clear, onForgotten }: BulkBarProps) {
  const [tag, setTag] = useState('')
  const [isForgetting, setForgetting] = useState(false)
  const pin = (pinned: boolean) =>
    patchAll(
      lines
        .filter(line => line.pinned !== pinned)
        .map(line => ({ id: line.id, to: { pinned }, from: { pinned: !pinned } })),
      pinned ? 'Pinned' : 'Unpinned',
    )
  const addTag = (event: Event) => {
    event.preventDefault()
    const name = tag.trim()
    const changed = lines
      .filter(({ tags }) => !tags.includes(name))
      .map(({ id, tags }) => ({ id, to: { tags: [...tags, name] }, from: { tags: [...tags] } }))
    patchAll(changed, `Tagged ${name}:`).then(() => setTag(''), showFailure)
  }
  return (
    <section class="bulk line" aria-label="Selected memories">
      <strong>{lines.length} selected</strong>
      {may('modify') && (
        <>
          <button type="button" class="plain" onClick={() => pin(true).catch(showFailure)}>
            Pin
          </button>
          <button type="button" class="plain" onClick={() => pin(false).catch(showFailure)}>
            Unpin
          </button>
          <form class="line" onSubmit={addTag}>
            <input
              aria-label="Tag to add"
              placeholder="Tag"
              value={tag}
              required
              pattern="[^,]+"
              onInput={event => setTag(event.currentTarget.value)}
            />
            <button type="submit" class="plain">
              Add tag
            </button>
          </form>
        </>
      )}
      {may('forget') && (
        <button type="button" class="danger" onClick={() => setForgetting(true)}>
          Forget…
        </button>
      )}
      <button type="button" class="plain" onClick={clear}>
        Clear
      </button>
      {isForgetting && <Forget lines={lines} onClose={() => setForgetting(false)} onDone={onForgotten} />}
    </section>
  )
}

interface Fields {
  pinned?: boolean
  tags?: string[]
}

interface Change {
  id: string
  to: Fields
  /** Previous values, for undo. */
  from: Fields
}

/** Maximum number of memories per API batch. */
const batch = 200

/** Changes several memories, reports their number, and offers an undo. @throws ApiError */
async function patchAll(wanted: readonly Change[], deed: string): Promise<void> {
  const done = await patchEach(wanted, ({ to }) => to, 'changed on the web page')
  const undo = done.length > 0 ? () => undoChanges(done) : undefined
  const left = wanted.length - done.length
  showMessage(`${deed} ${done.length}${left > 0 ? `, ${left} failed` : ''}`, undo)
}

async function undoChanges(done: readonly Change[]): Promise<void> {
  await patchEach(done, ({ from }) => from, 'undone on the web page')
}

/** @returns the changed ones */
async function patchEach(
  wanted: readonly Change[],
  fieldsOf: (change: Change) => Fields,
  reason: string,
): Promise<Change[]> {
  const done: Change[] = []
  for (let start = 0; start < wanted.length; start += batch) {
    const part = wanted.slice(start, start + batch)
    const patches = part.map(change => ({ id: change.id, ...fieldsOf(change) }))
    const { results } = await call('POST /api/memory/modify', { body: { patches, reason } })
    const updated = new Set(results.filter(({ status }) => status === 'updated').map(({ id }) => id))
    done.push(...part.filter(({ id }) => updated.has(id)))
  }
  changes.value++
  return done
}

const maxFound = 100
const valueLabels: Readonly<Partial<Record<FilterName, Readonly<Record<string, string>>>>> = {
  pinned: { true: 'yes', false: 'no' },
  type: { document_chunk: labelOf('memoryType', 'document_chunk') },
}
/** UTF-16 units of a content that fit in a line. */
const lineLength = 240

interface MemoryListProps {
  query: ListQuery
  open: string | undefined
}

/** All memories with facets, or the results of a recall for a query, best first. */
export function MemoryList({ query: chosen, open }: MemoryListProps) {
  const query = { ...chosen, project: chosen.project ?? chosenProject.value }
  const [selected, setSelected] = useState<ReadonlyMap<string, MemoryLine>>(new Map())
  const lines = useLines(query)
  const nameOf = useProjectNames()
  const show = (next: ListQuery) =>
    replace(addressOf('memories', open === undefined ? [] : [open], { ...next }))
  const selection = {
    has: ({ id }: MemoryLine) => selected.has(id),
    toggle: (line: MemoryLine) => setSelected(before => toggled(before, line)),
  }
  const clear = () => setSelected(new Map())
  const onForgotten = () => {
    if (open !== undefined && selected.has(open)) navigate(addressOf('memories', [], { ...query }))
    clear()
  }
  return (
    <div class="with-facets">
      <Facets query={query} show={show} nameOf={nameOf} />
      <div class="stack list">
        <SearchField label="Search memories" value={query.q ?? ''} onInput={q => show({ ...query, q })} />
        <p class="line dim" role="status">
          {lines.summary}
        </p>
        {selected.size > 0 && (
          <BulkBar lines={[...selected.values()]} clear={clear} onForgotten={onForgotten} />
        )}
        {lines.error && <Failure error={lines.error} retry={lines.reload} />}
        {lines.count === undefined && !lines.error && <Loading />}
        {lines.count === 0 && <Nothing query={query} />}
        {lines.count !== undefined && lines.count > 0 && (
          <VirtualTable
            label="Memories"
            columns={[...sharedColumns(nameOf), query.q ? score : saved]}
            count={lines.count}
            rowAt={lines.rowAt}
            keyOf={({ id }) => id}
            onNeed={lines.need}
            onOpen={({ id }) => navigate(addressOfLine(id, query))}
            selection={selection}
          />
        )}
      </div>
    </div>
  )
}

/** A passage of a source opens on the page Search. */
function addressOfLine(id: string, query: ListQuery): string {
  return id.includes('#')
    ? addressOf('search', [id], { q: query.q })
    : addressOf('memories', [id], { ...query })
}

function toggled(before: ReadonlyMap<string, MemoryLine>, line: MemoryLine): ReadonlyMap<string, MemoryLine> {
  const next = new Map(before)
  if (!next.delete(line.id)) next.set(line.id, line)
  return next
}

function Nothing({ query }: { query: ListQuery }) {
  const isNarrowed = Object.values(query).some(Boolean)
  return isNarrowed ? (
    <Empty title="No matching memories">
      <p>Change the search or remove filters.</p>
      <a href={addressOf('memories')}>Show all memories</a>
    </Empty>
  ) : (
    <Empty title="No memories yet">
      <p>Connected agents save memories automatically. Connect one, or save a memory yourself:</p>
      <p class="line">
        <ConnectAgents />
        {may('remember') && (
          <button type="button" onClick={() => openPalette()}>
            Save a memory…
          </button>
        )}
      </p>
    </Empty>
  )
}

interface Lines {
  count: number | undefined
  rowAt: (position: number) => MemoryLine | undefined
  need?: (from: number, to: number) => void
  error: ApiError | undefined
  reload: () => void
  /** The number of memories in words. */
  summary: string
}

function useLines(query: ListQuery): Lines {
  const q = useDebounced((query.q ?? '').trim())
  const keys = [...filterNames.map(name => query[name]), changes.value]
  const found = useLoaded(
    signal =>
      q === '' ? undefined : tryRecall({ query: q, limit: maxFound, ...recallFilter(query) }, signal),
    [q, ...keys],
  )
  const all = usePaged(async ({ offset, limit }, signal) => {
    const filter = { ...listFilter(query), maxContent: lineLength, offset, limit }
    const { memories, matching } = await call('GET /api/memories', { query: filter }, { signal })
    return { rows: memories.map(lineOfListed), total: matching }
  }, keys)
  const rows = useMemo(() => found.value?.results.map(lineOfRecalled), [found.value])
  if (q === '') {
    const summary =
      all.count === undefined ? '' : `${countText(all.count, 'memory', 'memories')}, newest first`
    return { ...all, summary }
  }
  const count = rows?.length
  return {
    count,
    rowAt: position => rows?.[position],
    error: found.error,
    reload: found.reload,
    summary:
      count === undefined
        ? ''
        : `${count === maxFound ? 'Top ' : ''}${countText(count, 'match', 'matches')}, best first`,
  }
}

interface FacetsProps {
  query: ListQuery
  show: (next: ListQuery) => void
  nameOf: NameOfProject
}

function Facets({ query, show, nameOf }: FacetsProps) {
  const { q: _q, ...filters } = query
  const counts = useLoaded(
    signal => call('GET /api/memories/counts', { query: listFilter(filters) }, { signal }),
    [...filterNames.map(name => query[name]), changes.value],
  )
  const shown = filterNames.filter(name => !query.q || !onlyInLists.has(name))
  const valuesOf = (name: FilterName) => counts.value?.by[name].values.slice(0, 12) ?? []
  const keys = [...valuesOf('project').map(({ value }) => value), ...(query.project ? [query.project] : [])]
  const labels: Partial<Record<FilterName, Record<string, string>>> = {
    project: Object.fromEntries(keys.map(key => [key, nameOf(key)])),
    who: Object.fromEntries(valuesOf('who').map(({ value }) => [value, labelOf('harness', value)])),
  }
  return (
    <section class="facets" aria-label="Filters">
      {counts.error && <Failure error={counts.error} retry={counts.reload} />}
      {shown.map(name => (
        <Facet
          key={name}
          title={filterTitles[name]}
          labels={labels[name] ?? valueLabels[name]}
          values={valuesOf(name)}
          chosen={query[name]}
          onChoose={value => show({ ...query, [name]: value })}
        />
      ))}
    </section>
  )
}

/** Number of the colour of each type, see `kinds.css`. */
const kindOfType: Readonly<Record<string, number>> = {
  fact: 0,
  rule: 1,
  procedural: 2,
  preference: 3,
  learning: 4,
  decision: 5,
  issue: 6,
}
const otherKind = 7

const sharedColumns = (nameOf: NameOfProject): readonly Column<MemoryLine>[] => [
  {
    title: 'Memory',
    width: 'minmax(0, 1fr)',
    isText: true,
    cell: line => (
      <>
        {line.pinned && (
          <span class="mark" title="Pinned">
            ★<span class="unseen">pinned </span>
          </span>
        )}
        {line.safety !== 'clean' && <span class="tag bad">{line.safety}</span>} {line.content}
      </>
    ),
  },
  {
    title: 'Type',
    width: '8.5rem',
    wide: true,
    cell: ({ type }) => (
      <span class={`kind kind-${kindOfType[type] ?? otherKind}`}>{labelOf('memoryType', type)}</span>
    ),
  },
  {
    title: 'Project',
    width: '7.5rem',
    wide: true,
    cell: ({ project }) => <span class="dim">{nameOf(project)}</span>,
  },
  {
    title: 'Tags',
    width: '8.5rem',
    wide: true,
    cell: ({ tags: [first, ...others] }) =>
      first !== undefined && (
        <span class="tags" title={[first, ...others].join(', ')}>
          <span class="tag">{first}</span>
          {others.length > 0 && <span class="dim">+{others.length}</span>}
        </span>
      ),
  },
  {
    title: 'Who',
    width: '8rem',
    wide: true,
    cell: ({ who }) => <span class="dim">{who ? labelOf('harness', who) : ''}</span>,
  },
]

/** The last column of a list sorted by time. */
const saved: Column<MemoryLine> = {
  title: 'Saved',
  width: '7.5rem',
  cell: ({ createdAt }) => <Time at={createdAt} />,
}

/** The last column of search results. */
const score: Column<MemoryLine> = {
  title: 'Score',
  width: '6rem',
  cell: line => line.score?.toFixed(3),
}
