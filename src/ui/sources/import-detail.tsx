import { useState } from 'preact/hooks'
import type { Address, Reply, Request } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { call } from '../api/call.js'
import { useFollowed } from '../api/followed.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { doNow } from '../parts/do-now.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Progress } from '../parts/progress.js'
import { Time } from '../parts/time.js'
import { say } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { formNames, isGoingOn, stateWords } from './import-words.js'
import { sending } from './uploads/upload-transcripts.js'

type ImportJob = Reply<'GET /api/sources/imports/:jobId'>

/** One import of conversations: how far it is, and which records it did not take and why. */
export function ImportDetail({ id }: { id: string }) {
  const loaded = useFollowed(
    signal => call('GET /api/sources/imports/:jobId', { params: { jobId: id } }, { signal }),
    [id, sending.value?.jobId === id],
    isGoingOn,
  )
  const { value: job, error } = loaded
  if (error) return <Failure error={error} retry={loaded.reload} />
  if (!job) return <Loading />
  return (
    <>
      <div class="head-line">
        <h2 class="words">{job.name ?? formNames[job.adapter]}</h2>
        <Deeds job={job} onDone={loaded.reload} />
      </div>
      <Sent job={job} />
      <Told job={job} />
      {job.rejected > 0 && <Rejections key={job.rejected} job={job} />}
    </>
  )
}

/** The upload, where it is this tab's. */
function Sent({ job }: { job: ImportJob }) {
  const upload = sending.value
  if (upload?.jobId !== job.id)
    return job.state === 'staging' ? (
      <p class="warn">
        Its files are not all here, and this tab sends none: import them again, or go on with{' '}
        <code>memory import transcripts</code>.
      </p>
    ) : null
  return (
    <section class="card" aria-label="Upload">
      <p class="line" role="status">
        <strong>Uploading</strong> <Progress label="Bytes uploaded" done={upload.done} total={upload.total} />{' '}
        <span class="dim">bytes, {formatBytes(upload.total)} in all; keep this tab open</span>
      </p>
      {upload.failure && <p class="bad words">{upload.failure}</p>}
    </section>
  )
}

function Told({ job }: { job: ImportJob }) {
  return (
    <section class="card" aria-label="How far it is">
      <p class="line" role="status">
        <strong class={job.state === 'failed' ? 'bad' : undefined}>{stateWords(job)}</strong>
        {job.total > 0 && <Progress label="Records taken" done={job.total - job.pending} total={job.total} />}
      </p>
      {job.error && <p class="bad words">{job.error}</p>}
      <dl class="facts">
        <Fact title="Conversations taken">
          {job.imported.toLocaleString()}, with {job.messages.toLocaleString()} messages
        </Fact>
        <Fact title="Here already">{job.duplicate.toLocaleString()}</Fact>
        <Fact title="Not taken">{job.rejected.toLocaleString()}</Fact>
        <Fact title="Files">
          {job.files.map(({ fileId, upload_size: size }) => (
            <span key={fileId} class="words">
              {fileId} {size !== null && <span class="dim">{formatBytes(size)} </span>}
            </span>
          ))}
        </Fact>
        {job.project && <Fact title="Project">{job.project}</Fact>}
        {job.sourceId && !job.removedAt && (
          <Fact title="Source">
            <a href={addressOf('sources', ['source', job.sourceId], { agent: job.agentId })}>
              {job.sourceId}
            </a>
          </Fact>
        )}
        <Fact title="Begun">
          <Time at={job.createdAt} />
        </Fact>
        {job.completedAt && (
          <Fact title="Done">
            <Time at={job.completedAt} />
          </Fact>
        )}
      </dl>
    </section>
  )
}

type Control = Extract<Address, `POST /api/sources/imports/:jobId/${'pause' | 'resume' | 'retry'}`>

const controls: readonly { name: string; address: Control; states: readonly ImportJob['state'][] }[] = [
  { name: 'Pause', address: 'POST /api/sources/imports/:jobId/pause', states: ['queued', 'active'] },
  { name: 'Resume', address: 'POST /api/sources/imports/:jobId/resume', states: ['paused'] },
  { name: 'Try again', address: 'POST /api/sources/imports/:jobId/retry', states: ['failed', 'interrupted'] },
]

function Deeds({ job, onDone }: { job: ImportJob; onDone: () => void }) {
  const [isCancelling, setCancelling] = useState(false)
  const request = { params: { jobId: job.id } }
  const isOver = ['completed', 'cancelled'].includes(job.state)
  if (isOver) return null
  const cancel = async () => {
    await call('POST /api/sources/imports/:jobId/cancel', request)
    say('Ended')
    onDone()
  }
  return (
    <p class="line">
      {controls
        .filter(({ states }) => states.includes(job.state))
        .map(({ name, address }) => (
          <button
            key={name}
            type="button"
            onClick={() => doNow(() => call(address, request as Request<Control>), 'Done', onDone)}
          >
            {name}
          </button>
        ))}
      <button type="button" class="plain" onClick={() => setCancelling(true)}>
        End it…
      </button>
      {isCancelling && (
        <Confirm title="End this import?" deed="End it" act={cancel} onClose={() => setCancelling(false)}>
          <p>
            The {job.imported.toLocaleString()} conversations that were taken stay; the{' '}
            {job.pending.toLocaleString()} that wait are not taken, and files that are not whole go.
          </p>
        </Confirm>
      )}
    </p>
  )
}

/** Records that were not taken, a hundred more at a time. */
function Rejections({ job }: { job: ImportJob }) {
  const [pages, setPages] = useState(1)
  const loaded = useLoaded(signal => rejectionsOf(job.id, pages, signal), [job.id, pages])
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  const { rows, hasMore } = loaded.value
  return (
    <section class="stack" aria-label="Not taken">
      <h2>
        Not taken <span class="bad">{job.rejected.toLocaleString()}</span>
      </h2>
      <ul class="plain-list lined">
        {rows.map(({ fileId, line, message }) => (
          <li key={`${fileId} ${line}`}>
            <strong class="words">
              {fileId}, record {line}
            </strong>
            : {message}
          </li>
        ))}
      </ul>
      {hasMore && (
        <p>
          <button type="button" class="plain" onClick={() => setPages(pages + 1)}>
            Show more
          </button>
        </p>
      )}
    </section>
  )
}

async function rejectionsOf(jobId: string, pages: number, signal: AbortSignal) {
  const rows: Reply<'GET /api/sources/imports/:jobId/rejections'>['rejections'] = []
  let cursor: string | null = null
  for (let page = 0; page < pages; page++) {
    const request = { params: { jobId }, query: { cursor: cursor ?? undefined } }
    const reply: Reply<'GET /api/sources/imports/:jobId/rejections'> = await call(
      'GET /api/sources/imports/:jobId/rejections',
      request,
      { signal },
    )
    rows.push(...reply.rejections)
    cursor = reply.nextCursor
    if (cursor === null) break
  }
  return { rows, hasMore: cursor !== null }
}
