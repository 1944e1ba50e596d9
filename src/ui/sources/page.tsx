import { useCallback, useState } from 'preact/hooks'
import { formatBytes } from '../../lib/text/count-of.js'
import { failureText } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes, useFollowed, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { ImportSessions } from '../frame/connect-agents.js'
import { Confirm } from '../parts/dialog.js'
import { Field, Select } from '../parts/fields.js'
import { Empty, Failure, Loading, Progress } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { PageHead, type Tab } from '../parts/tabs.js'
import { ShortId, Time } from '../parts/values.js'
import { addressOf, type PageAddress } from '../routing/place.js'
import { navigate, type PageProps } from '../routing/router.js'
import { Add } from './add.js'
import { ConnectorDetail, Connectors } from './connectors.js'
import { DocumentDetail, Documents } from './documents.js'
import { ImportDetail } from './import-detail.js'
import { SourceDetail } from './source-detail.js'
import { SourceList } from './source-list.js'
import { formNames, type ImportJob, isRunning, stateWords } from './source-words.js'
import { ChooseFiles, DropFiles } from './uploads/drop-files.js'
import { type Outcome, type Upload, uploadQueue } from './uploads/upload-queue.js'
import { beginImport } from './uploads/upload-transcripts.js'
import './sources.css'

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
  { title: 'Id', width: '7rem', wide: true, cell: ({ id }) => <ShortId id={id} /> },
]

function State({ job }: { job: ImportJob }) {
  if (job.state === 'active')
    return <Progress label="Records processed" done={job.total - job.pending} total={job.total || null} />
  return <span class={job.state === 'failed' ? 'bad' : undefined}>{stateWords(job)}</span>
}

/** Imports of conversations, newest first. */
function Imports({ onAdd }: { onAdd: () => void }) {
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
          <p>
            <button type="button" onClick={onAdd}>
              Import conversations…
            </button>
          </p>
          <p>
            <ImportSessions />
          </p>
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

/** Queue of files to import; it continues when the user opens another page. */
export const { uploads, add: uploadFiles, forget: forgetUploads } = uploadQueue(importOne)

async function importOne({ file, mode }: Upload): Promise<Outcome> {
  const form = new FormData()
  form.set('duplicateMode', mode)
  form.append('files', file, file.name)
  try {
    const [imported] = (await call('POST /api/sources/import', { form })).files
    return {
      state: imported?.status ?? 'failed',
      reason: imported?.error,
      sourceId: imported?.sourceId ?? null,
    }
  } catch (thrown) {
    return { state: 'failed', reason: failureText(thrown) }
  } finally {
    changes.value++
  }
}

/** Sources, documents, connectors, and imported conversations. */
export default function Sources({ place }: PageProps) {
  const [part, id] = place.rest
  const [isAdding, setAdding] = useState(false)
  const [conversations, setConversations] = useState<readonly File[] | undefined>(
    place.query.add === 'files' ? [] : undefined,
  )
  const ofImports = part === 'imports'
  const take = useCallback(
    (files: readonly File[]) => (ofImports ? setConversations(files) : void uploadFiles(files, 'skip')),
    [ofImports],
  )
  const add = () => setAdding(true)
  return (
    <>
      <PageHead
        page="sources"
        title="Sources"
        tabs={tabsShown()}
        open={part === 'source' ? undefined : part}
        isDeep={id !== undefined}
      >
        {may('documents') && (
          <button type="button" onClick={add}>
            Add…
          </button>
        )}
        {may('modify') && !ofImports && <ChooseFiles onFiles={take}>Upload files…</ChooseFiles>}
        {may('modify') && ofImports && (
          <button type="button" class="plain" onClick={() => setConversations([])}>
            Import conversations…
          </button>
        )}
      </PageHead>
      <Uploads />
      <Part place={place} onAdd={add} onImport={() => setConversations([])} />
      {may('modify') && (
        <DropFiles does={ofImports ? 'import conversations' : 'import them'} onFiles={take} />
      )}
      {isAdding && <Add onClose={() => setAdding(false)} />}
      {conversations && <NewImport files={conversations} onClose={() => setConversations(undefined)} />}
    </>
  )
}

function tabsShown(): Tab[] {
  return [
    { title: 'Sources' },
    { part: 'documents', title: 'Documents' },
    { part: 'connectors', title: 'Connectors' },
    ...(may('modify') ? [{ part: 'imports', title: 'Conversations' }] : []),
  ]
}

interface PartProps {
  place: PageAddress
  onAdd: () => void
  onImport: () => void
}

function Part({ place, onAdd, onImport }: PartProps) {
  const [part, id] = place.rest
  if (part === 'source' && id !== undefined)
    return <SourceDetail key={id} id={id} agentId={place.query.agent} />
  if (part === 'documents')
    return id === undefined ? <Documents onAdd={onAdd} /> : <DocumentDetail key={id} id={id} />
  if (part === 'connectors')
    return id === undefined ? <Connectors onAdd={onAdd} /> : <ConnectorDetail key={id} id={id} />
  if (part === 'imports')
    return id === undefined ? <Imports onAdd={onImport} /> : <ImportDetail key={id} id={id} />
  return <SourceList onAdd={onAdd} />
}

const words = {
  waiting: 'waiting',
  sending: 'importing…',
  imported: 'imported',
  duplicate: 'already imported',
  failed: 'failed',
} as const

const tones = { waiting: 'dim', sending: 'dim', imported: 'good', duplicate: 'warn', failed: 'bad' } as const

/** Running uploads with the outcome of each file. */
function Uploads() {
  const all = uploads.value
  if (all.length === 0) return null
  const done = all.filter(({ state }) => state !== 'waiting' && state !== 'sending').length
  return (
    <section class="card" aria-label="Imported files">
      <div class="line">
        <h2>Files</h2>
        <Progress label="Files imported" done={done} total={all.length} />
        {done > 0 && (
          <button type="button" class="plain" onClick={forgetUploads}>
            Clear
          </button>
        )}
      </div>
      <ul class="plain-list lined uploads">
        {all.map(upload => (
          <li key={upload.id}>
            <UploadState upload={upload} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function UploadState({ upload: { file, state, reason, sourceId } }: { upload: Upload }) {
  return (
    <>
      <span class="words">
        {sourceId ? <a href={addressOf('sources', ['source', sourceId])}>{file.name}</a> : file.name}
      </span>{' '}
      <span class={tones[state]}>{words[state]}</span>
      {state === 'duplicate' && (
        <button type="button" class="plain" onClick={() => uploadFiles([file], 'replace')}>
          Import again
        </button>
      )}
      {reason && <p class="words">{reason}</p>}
    </>
  )
}

interface NewImportProps {
  /** Dropped files. */
  files: readonly File[]
  onClose: () => void
}

/** Imports conversations of other programs, or of another memory-service. */
function NewImport({ files: dropped, onClose }: NewImportProps) {
  const [files, setFiles] = useState(dropped)
  const [adapter, setAdapter] = useState<keyof typeof formNames>('service-export')
  const [project, setProject] = useState('')
  const room = useLoaded(signal => call('GET /api/sources/imports', { query: { limit: 1 } }, { signal }), [])
  const longest = room.value?.room.file
  const tooLong = longest === undefined ? [] : files.filter(({ size }) => size > longest)
  const act = async () => {
    const jobId = await beginImport(files, { adapter, project: project.trim() || undefined })
    changes.value++
    navigate(addressOf('sources', ['imports', jobId]))
  }
  return (
    <Confirm
      title="Import conversations"
      deed="Import"
      act={act}
      onClose={onClose}
      isReady={files.length > 0 && tooLong.length === 0}
      isMild
    >
      <div class="stack">
        <Select label="Format" value={adapter} options={formNames} onChoose={setAdapter} />
        <p class="line">
          <ChooseFiles onFiles={more => setFiles([...files, ...more])}>Choose files…</ChooseFiles>
          {files.length > 0 && (
            <button type="button" class="plain" onClick={() => setFiles([])}>
              Clear
            </button>
          )}
        </p>
        <ul class="plain-list">
          {files.map(file => (
            <li key={`${file.name} ${file.size}`} class="words">
              {file.name} <span class="dim">{formatBytes(file.size)}</span>
            </li>
          ))}
        </ul>
        {tooLong.length > 0 && longest !== undefined && (
          <p class="bad">
            Free disk space limits each file to {formatBytes(longest)}. Free some space or choose smaller
            files.
          </p>
        )}
        <Field
          label="Project"
          value={project}
          onInput={setProject}
          hint="Applies to all new conversations. Leave empty to use the project of each record."
        />
      </div>
    </Confirm>
  )
}
