import { useState } from 'preact/hooks'
import type { Address, Reply, Request } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useFollowed, useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Failure, Loading, Progress } from '../parts/placeholders.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Command, countText, Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { formNames, isRunning, stateWords } from './source-words.js'
import { sending } from './uploads/upload-transcripts.js'

type ImportJob = Reply<'GET /api/sources/imports/:jobId'>

/** One import of conversations: its progress, and rejected records with reasons. */
export function ImportDetail({ id }: { id: string }) {
  const loaded = useFollowed(
    signal => call('GET /api/sources/imports/:jobId', { params: { jobId: id } }, { signal }),
    [id, sending.value?.jobId === id],
    isRunning,
  )
  const { value: job, error } = loaded
  if (error) return <Failure error={error} retry={loaded.reload} />
  if (!job) return <Loading />
  return (
    <>
      <div class="head-line">
        <h2 class="words">{job.name ?? formNames[job.adapter]}</h2>
        <ImportActions job={job} onDone={loaded.reload} />
      </div>
      <UploadProgress job={job} />
      <ImportFacts job={job} />
      {job.rejected > 0 && <Rejections key={job.rejected} job={job} />}
    </>
  )
}

/** The upload, if it runs in this tab. */
function UploadProgress({ job }: { job: ImportJob }) {
  const upload = sending.value
  if (upload?.jobId !== job.id)
    return job.state === 'staging' ? (
      <p class="warn">
        The upload is incomplete and does not run in this tab. Import the files again, or continue with{' '}
        <Command text="memory import transcripts" />.
      </p>
    ) : null
  return (
    <section class="card" aria-label="Upload">
      <p class="line" role="status">
        <strong>Uploading</strong> <Progress label="Bytes uploaded" done={upload.done} total={upload.total} />{' '}
        <span class="dim">bytes ({formatBytes(upload.total)} in total). Keep this tab open.</span>
      </p>
      {upload.failure && <p class="bad words">{upload.failure}</p>}
    </section>
  )
}

function ImportFacts({ job }: { job: ImportJob }) {
  return (
    <section class="card" aria-label="Progress">
      <p class="line" role="status">
        <strong class={job.state === 'failed' ? 'bad' : undefined}>{stateWords(job)}</strong>
        {job.total > 0 && (
          <Progress label="Records processed" done={job.total - job.pending} total={job.total} />
        )}
      </p>
      {job.error && <p class="bad words">{job.error}</p>}
      <dl class="facts">
        <Fact title="Imported">
          {countText(job.imported, 'conversation')} with {countText(job.messages, 'message')}
        </Fact>
        {job.leftOut.map(({ kind, message }) => (
          <Fact key={kind} title="Left out">
            {message}
          </Fact>
        ))}
        <Fact title="Duplicates">{job.duplicate.toLocaleString()}</Fact>
        <Fact title="Rejected">{job.rejected.toLocaleString()}</Fact>
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
        <Fact title="Started">
          <Time at={job.createdAt} />
        </Fact>
        {job.completedAt && (
          <Fact title="Finished">
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
  { name: 'Retry', address: 'POST /api/sources/imports/:jobId/retry', states: ['failed', 'interrupted'] },
]

function ImportActions({ job, onDone }: { job: ImportJob; onDone: () => void }) {
  const [isCancelling, setCancelling] = useState(false)
  const request = { params: { jobId: job.id } }
  const isOver = ['completed', 'cancelled'].includes(job.state)
  if (isOver) return null
  const cancel = async () => {
    await call('POST /api/sources/imports/:jobId/cancel', request)
    showMessage('Import cancelled')
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
            onClick={() =>
              runAndReport(() => call(address, request as Request<Control>), `${name} requested`, onDone)
            }
          >
            {name}
          </button>
        ))}
      <button type="button" class="plain" onClick={() => setCancelling(true)}>
        Cancel import…
      </button>
      {isCancelling && (
        <Confirm
          title="Cancel this import?"
          deed="Cancel import"
          act={cancel}
          onClose={() => setCancelling(false)}
        >
          <p>
            {countText(job.imported, 'imported conversation')} are kept, {job.pending.toLocaleString()}{' '}
            pending ones are not imported, and incomplete files are deleted.
          </p>
        </Confirm>
      )}
    </p>
  )
}

/** Rejected records, with a hundred more per page. */
function Rejections({ job }: { job: ImportJob }) {
  const [pages, setPages] = useState(1)
  const loaded = useLoaded(signal => rejectionsOf(job.id, pages, signal), [job.id, pages])
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value) return <Loading />
  const { rows, hasMore } = loaded.value
  return (
    <section class="stack" aria-label="Rejected">
      <h2>
        Rejected <span class="bad">{job.rejected.toLocaleString()}</span>
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
