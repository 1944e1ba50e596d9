import { useCallback, useState } from 'preact/hooks'
import { may } from '../api/session.js'
import { Progress } from '../parts/progress.js'
import { PageHead, type Tab } from '../parts/tabs.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf, type PageAddress } from '../routing/place.js'
import { Add } from './add.js'
import { ConnectorDetail } from './connector-detail.js'
import { Connectors } from './connectors.js'
import { DocumentDetail } from './document-detail.js'
import { Documents } from './documents.js'
import { ImportDetail } from './import-detail.js'
import { Imports } from './imports.js'
import { NewImport } from './new-import.js'
import { SourceDetail } from './source-detail.js'
import { SourceList } from './source-list.js'
import { ChooseFiles, DropFiles } from './uploads/drop-files.js'
import { forgetUploads, uploadFiles, uploads } from './uploads/upload-files.js'
import type { Upload } from './uploads/upload-queue.js'
import './sources.css'

/** Sources, documents, connectors, and imported conversations. */
export default function Sources({ place }: PageProps) {
  const [part, id] = place.rest
  const [isAdding, setAdding] = useState(false)
  const [conversations, setConversations] = useState<readonly File[]>()
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
      <Part place={place} onAdd={add} />
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

function Part({ place, onAdd }: { place: PageAddress; onAdd: () => void }) {
  const [part, id] = place.rest
  if (part === 'source' && id !== undefined)
    return <SourceDetail key={id} id={id} agentId={place.query.agent} />
  if (part === 'documents') return id === undefined ? <Documents /> : <DocumentDetail key={id} id={id} />
  if (part === 'connectors') return id === undefined ? <Connectors /> : <ConnectorDetail key={id} id={id} />
  if (part === 'imports') return id === undefined ? <Imports /> : <ImportDetail key={id} id={id} />
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
