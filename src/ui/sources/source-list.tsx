import { call } from '../api/call.js'
import { changes, useFollowed } from '../api/loaded.js'
import { Empty, Failure, Loading, Progress } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { ShortId, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { isReading, jobWords, kindNames, type Source } from './source-words.js'

/** The last folders of a long path, which tell sources apart. */
function endOfPath(path: string): string {
  const parts = path.split('/')
  return path.length <= shortPath || parts.length <= 3 ? path : `…/${parts.slice(-2).join('/')}`
}

const shortPath = 24

const columns: readonly Column<Source>[] = [
  { title: 'Name', width: 'minmax(7rem, 1fr)', cell: ({ name }) => name },
  {
    title: 'Kind',
    width: '6rem',
    wide: true,
    cell: ({ kind }) => <span class="dim">{kindNames[kind]}</span>,
  },
  {
    title: 'Location',
    width: 'minmax(0, 1fr)',
    wide: true,
    cell: ({ root }) => (
      <span class="dim" title={root}>
        {endOfPath(root)}
      </span>
    ),
  },
  { title: 'State', width: 'minmax(8rem, 15rem)', cell: source => <State source={source} /> },
  {
    title: 'Artifacts',
    width: '6rem',
    wide: true,
    cell: ({ kind, stats }) =>
      kind === 'import' && stats.artifacts === 0 ? '' : stats.artifacts.toLocaleString(),
  },
  {
    title: 'Failed',
    width: '6rem',
    wide: true,
    cell: ({ health: { failures } }) =>
      failures.total > 0 && <span class="bad">{failures.total.toLocaleString()}</span>,
  },
  {
    title: 'Last sync',
    width: '10rem',
    wide: true,
    cell: ({ kind, lastIndexedAt }) => kind !== 'import' && <Time at={lastIndexedAt} />,
  },
  { title: 'Id', width: '7rem', wide: true, cell: ({ id }) => <ShortId id={id} /> },
]

/** Sources with their progress. */
export function SourceList({ onAdd }: { onAdd: () => void }) {
  const loaded = useFollowed(
    signal => call('GET /api/sources', { query: { readable: true } }, { signal }),
    [changes.value],
    ({ sources }) => sources.some(isReading),
  )
  const sources = loaded.value?.sources
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!sources && !loaded.error && <Loading />}
      {sources?.length === 0 && (
        <Empty title="No sources yet">
          <p>Obsidian vaults, GitHub repositories and Discord servers are read but never modified.</p>
          <p>
            <button type="button" onClick={onAdd}>
              Add a source…
            </button>
          </p>
          <p>Or drop files here to import their text.</p>
        </Empty>
      )}
      {sources && sources.length > 0 && (
        <VirtualTable
          label="Sources"
          columns={columns}
          count={sources.length}
          rowAt={position => sources[position]}
          keyOf={({ id, agentId }) => `${agentId} ${id}`}
          onOpen={({ id, agentId }) => navigate(addressOf('sources', ['source', id], { agent: agentId }))}
        />
      )}
    </>
  )
}

function State({ source: { kind, name, indexJob, health } }: { source: Source }) {
  if (indexJob?.status === 'running')
    return <Progress label={`Syncing ${name}`} done={indexJob.scanned} total={indexJob.total} />
  const tone = indexJob?.status === 'failed' || health.status === 'unhealthy' ? 'bad' : undefined
  return (
    <span class={tone ?? (health.status === 'degraded' ? 'warn' : undefined)}>
      {jobWords({ kind, indexJob })}
      {health.status !== 'healthy' && `, ${health.status}`}
    </span>
  )
}
