import { useCallback, useState } from 'preact/hooks'
import { may } from '../api/session.js'
import { PageHead, type Tab } from '../parts/tabs.js'
import type { PageProps } from '../routing/page-props.js'
import type { Place } from '../routing/place.js'
import { Add } from './add.js'
import { ConnectorDetail } from './connector-detail.js'
import { Connectors } from './connectors.js'
import { DocumentDetail } from './document-detail.js'
import { Documents } from './documents.js'
import { ChooseFiles, DropFiles } from './drop-files.js'
import { ImportDetail } from './import-detail.js'
import { Imports } from './imports.js'
import { NewImport } from './new-import.js'
import { SourceDetail } from './source-detail.js'
import { SourceList } from './source-list.js'
import { uploadFiles } from './upload-files.js'
import { Uploads } from './uploads.js'
import './sources.css'

/** What is read beside memories: sources, documents, connectors, and conversations of other programs. */
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

function Part({ place, onAdd }: { place: Place; onAdd: () => void }) {
  const [part, id] = place.rest
  if (part === 'source' && id !== undefined)
    return <SourceDetail key={id} id={id} agentId={place.query.agent} />
  if (part === 'documents') return id === undefined ? <Documents /> : <DocumentDetail key={id} id={id} />
  if (part === 'connectors') return id === undefined ? <Connectors /> : <ConnectorDetail key={id} id={id} />
  if (part === 'imports') return id === undefined ? <Imports /> : <ImportDetail key={id} id={id} />
  return <SourceList onAdd={onAdd} />
}
