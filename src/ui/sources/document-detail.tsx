import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { Time } from '../parts/time.js'
import { showMessage } from '../parts/toast.js'
import { countText, Fact, SafeLink } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { type Document, isInProgress, State, titleOf } from './documents.js'

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

/** Maximum number of rendered chunks; a long document has thousands. */
const shown = 100

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
