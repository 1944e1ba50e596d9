import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Dialog } from '../parts/dialog.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { SafeLink } from '../parts/safe-link.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import type { Source } from './source-words.js'

type Artifact = Reply<'GET /api/sources/:sourceId/artifacts'>['artifacts'][number]

const columns: readonly Column<Artifact>[] = [
  { title: 'Title', width: 'minmax(0, 1fr)', cell: ({ title, sourcePath }) => title ?? sourcePath },
  {
    title: 'Path',
    width: 'minmax(0, 1fr)',
    wide: true,
    cell: ({ sourcePath }) => <span class="dim">{sourcePath}</span>,
  },
  { title: 'Kind', width: '7rem', wide: true, cell: ({ kind }) => <span class="dim">{kind}</span> },
  { title: 'Passages', width: '6rem', wide: true, cell: ({ chunks }) => chunks },
  {
    title: 'Safety',
    width: '6.5rem',
    cell: ({ contentSafety: { status } }) =>
      status === 'clean' ? <span class="dim">clean</span> : <span class="tag bad">{status}</span>,
  },
  { title: 'Changed', width: '10rem', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
]

/** The artifacts of a source by path. */
export function Artifacts({ source: { id, agentId, stats, lastIndexedAt } }: { source: Source }) {
  const [shown, setShown] = useState<Artifact>()
  const paged = usePaged(
    async (page, signal) => {
      const request = { params: { sourceId: id }, query: { agentId, ...page } }
      const { artifacts, total } = await call('GET /api/sources/:sourceId/artifacts', request, { signal })
      return { rows: artifacts, total }
    },
    [id, agentId, stats.artifacts, lastIndexedAt, changes.value],
  )
  if (paged.error) return <Failure error={paged.error} retry={paged.reload} />
  if (!paged.count) return null
  return (
    <section class="artifacts" aria-label="Artifacts">
      <h2>Artifacts</h2>
      <VirtualTable
        label="Artifacts"
        columns={columns}
        count={paged.count}
        rowAt={paged.rowAt}
        keyOf={artifact => artifact.id}
        onNeed={paged.need}
        onOpen={setShown}
      />
      {shown && <ArtifactDialog artifact={shown} onClose={() => setShown(undefined)} />}
    </section>
  )
}

function ArtifactDialog({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const { title, sourcePath, url, kind, author, chunks, updatedAt, indexedAt, contentSafety } = artifact
  return (
    <Dialog title={title ?? sourcePath} onClose={onClose}>
      <dl class="facts">
        <Fact title="Path">{sourcePath}</Fact>
        <Fact title="Kind">{kind}</Fact>
        {url && (
          <Fact title="URL">
            <SafeLink address={url} />
          </Fact>
        )}
        {author && <Fact title="Author">{author}</Fact>}
        <Fact title="Passages">{chunks}</Fact>
        <Fact title="Changed">
          <Time at={updatedAt} />
        </Fact>
        <Fact title="Indexed">
          <Time at={indexedAt} />
        </Fact>
        <Fact title="Safety">
          {contentSafety.status}
          {contentSafety.reasons.length > 0 && `: ${contentSafety.reasons.join(', ').replaceAll('_', ' ')}`}
        </Fact>
      </dl>
    </Dialog>
  )
}
