import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/followed.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Progress } from '../parts/progress.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { formNames, type ImportJob, isRunning, stateWords } from './import-words.js'

const columns: readonly Column<ImportJob>[] = [
  { title: 'Files', width: 'minmax(8rem, 1fr)', cell: ({ name, adapter }) => name ?? formNames[adapter] },
  { title: 'State', width: 'minmax(8rem, 15rem)', cell: job => <State job={job} /> },
  { title: 'Imported', width: '6rem', wide: true, cell: ({ imported }) => imported.toLocaleString() },
  { title: 'Duplicates', width: '7rem', wide: true, cell: ({ duplicate }) => duplicate.toLocaleString() },
  {
    title: 'Rejected',
    width: '6rem',
    wide: true,
    cell: ({ rejected }) => rejected > 0 && <span class="bad">{rejected.toLocaleString()}</span>,
  },
  { title: 'Started', width: '10rem', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

function State({ job }: { job: ImportJob }) {
  if (job.state === 'active')
    return <Progress label="Records processed" done={job.total - job.pending} total={job.total || null} />
  return <span class={job.state === 'failed' ? 'bad' : undefined}>{stateWords(job)}</span>
}

/** Imports of conversations, newest first. */
export function Imports() {
  const newest = useFollowed(
    signal => call('GET /api/sources/imports', { query: { limit: 20 } }, { signal }),
    [changes.value],
    ({ jobs }) => jobs.some(isRunning),
  )
  const versions = newest.value?.jobs.map(({ id, state, total, pending }) =>
    [id, state, total, pending].join(' '),
  )
  const paged = usePaged(
    async (page, signal) => {
      const { jobs, total } = await call('GET /api/sources/imports', { query: page }, { signal })
      return { rows: jobs, total }
    },
    [changes.value, versions?.join()],
  )
  return (
    <>
      {paged.error && <Failure error={paged.error} retry={paged.reload} />}
      {paged.count === undefined && !paged.error && <Loading />}
      {paged.count === 0 && (
        <Empty title="No imported conversations yet">
          <p>Drop exports of ChatGPT, claude.ai or memory-service here, or logs of coding agents.</p>
        </Empty>
      )}
      {paged.count !== undefined && paged.count > 0 && (
        <VirtualTable
          label="Imports"
          columns={columns}
          count={paged.count}
          rowAt={paged.rowAt}
          keyOf={({ id }) => id}
          onNeed={paged.need}
          onOpen={({ id }) => navigate(addressOf('sources', ['imports', id]))}
        />
      )}
    </>
  )
}
