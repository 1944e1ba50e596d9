import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { sourceKind } from '../../contract/ground/wire-names.js'
import { countOf, formatBytes } from '../../lib/text/count-of.js'
import { call, open } from '../api/call.js'
import { changes, useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Check, JsonFileField } from '../parts/fields.js'
import { Failure, Loading, Progress } from '../parts/placeholders.js'
import { saveAs } from '../parts/save-as.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Fact, healthTones, SafeLink, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { conditionWords, isReading, jobWords, kindNames, type Source } from './source-words.js'
import { Unread } from './unread.js'

/** The daemon's limit. */
const maxBytes = 256 * 1024 * 1024

interface SnapshotProps {
  source: Source
  onClose: () => void
}

/** Exports all artifacts of a source as one file, for a daemon that cannot read the source itself. */
function ExportSnapshot({ source, onClose }: SnapshotProps) {
  const [withChats, setWithChats] = useState(false)
  const act = async () => {
    const reply = await open('GET /api/sources/:sourceId/snapshot', requestOf(source, withChats))
    const content = await reply.blob()
    saveAs(`${source.name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 100)}.json`, content)
    showMessage(`Exported ${formatBytes(content.size)}`)
  }
  return (
    <Confirm title="Export a snapshot" deed="Export" act={act} onClose={onClose} isMild>
      <p>
        One file with the text of {countOf(source.stats.artifacts, 'artifact')}. Anyone with the file can read
        it.
      </p>
      <LocalChats source={source} checked={withChats} onChange={setWithChats} />
    </Confirm>
  )
}

/** Replaces the artifacts of a source with those in another daemon's file. */
function ImportSnapshot({ source, onClose, onDone }: SnapshotProps & { onDone: () => void }) {
  const [file, setFile] = useState<File>()
  const [withChats, setWithChats] = useState(false)
  const isTooLarge = file !== undefined && file.size > maxBytes
  const act = async () => {
    const { imported, skipped } = await call('POST /api/sources/:sourceId/snapshot/import', {
      ...requestOf(source, withChats),
      bytes: new Uint8Array((await file?.arrayBuffer()) ?? []),
      headers: { 'content-type': 'application/json' },
    })
    changes.value++
    showMessage(
      `${countOf(imported, 'artifact')} imported${skipped > 0 ? `, ${countOf(skipped, 'direct message')} skipped` : ''}`,
    )
    onDone()
  }
  return (
    <Confirm
      title="Import a snapshot"
      deed="Replace artifacts"
      isReady={file !== undefined && !isTooLarge}
      act={act}
      onClose={onClose}
    >
      <div class="stack">
        <JsonFileField label="Snapshot of a source of the same kind" onChoose={setFile} />
        {isTooLarge && <p class="bad">It is larger than {formatBytes(maxBytes)}.</p>}
        <LocalChats source={source} checked={withChats} onChange={setWithChats} />
        <dl class="facts">
          <Fact title="Replaced">{countOf(source.stats.artifacts, 'artifact')}</Fact>
          <Fact title="Kept">the source itself; the next sync replaces the snapshot</Fact>
        </dl>
      </div>
    </Confirm>
  )
}

interface LocalChatsProps {
  source: Source
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Direct messages belong to one machine, so they are included only on request. */
function LocalChats({ source, checked, onChange }: LocalChatsProps) {
  if (source.kind !== sourceKind.discord) return null
  return (
    <Check checked={checked} onChange={onChange}>
      Include direct messages from the local Discord cache
    </Check>
  )
}

function requestOf({ id, agentId }: Source, includeLocalChatCache: boolean) {
  return { params: { sourceId: id }, query: { agentId, includeLocalChatCache } }
}

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
function Artifacts({ source: { id, agentId, stats, lastIndexedAt } }: { source: Source }) {
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

interface SourceDetailProps {
  id: string
  agentId: string | undefined
}

/** One source: its progress, its failures and its artifacts. */
export function SourceDetail({ id, agentId }: SourceDetailProps) {
  const loaded = useFollowed(
    signal =>
      call('GET /api/sources/:sourceId', { params: { sourceId: id }, query: { agentId } }, { signal }),
    [id, agentId],
    isReading,
  )
  const { value: source, error } = loaded
  return (
    <>
      {error && <Failure error={error} retry={loaded.reload} />}
      {!source && !error && <Loading />}
      {source && (
        <>
          <div class="head-line">
            <h2 class="words">{source.name}</h2>
            {may('modify') && <SourceActions source={source} onDone={loaded.reload} />}
          </div>
          <SourceFacts source={source} />
          <Unread
            total={source.health.failures.total}
            rows={source.health.failures.newest.map(({ path, message, recoverable }) => ({
              path,
              message,
              isPassing: recoverable,
            }))}
          />
          <Artifacts source={source} />
        </>
      )}
    </>
  )
}

function SourceFacts({ source }: { source: Source }) {
  const { kind, root, agentId, stats, indexJob, lastIndexedAt, excludeGlobs, health } = source
  const words = conditionWords(source)
  return (
    <section class="card" aria-label="Status">
      <p class="line" role="status">
        {indexJob?.status === 'running' ? (
          <Progress label="Syncing" done={indexJob.scanned} total={indexJob.total} />
        ) : (
          <strong class={indexJob?.status === 'failed' ? 'bad' : undefined}>{jobWords(source)}</strong>
        )}
        <span class={healthTones[health.status]}>{health.status}</span>
      </p>
      {words.map(word => (
        <p key={word} class="words">
          {word}
        </p>
      ))}
      <dl class="facts">
        <Fact title="Kind">{kindNames[kind]}</Fact>
        <Fact title="Location">
          <SafeLink address={root} />
        </Fact>
        <Fact title="Artifacts">
          {stats.artifacts.toLocaleString()} in {stats.chunks.toLocaleString()} passages
        </Fact>
        <Fact title="Last full sync">
          <Time at={lastIndexedAt} />
        </Fact>
        {indexJob && (
          <Fact title="This sync">
            {indexJob.scanned.toLocaleString()} checked, {indexJob.indexed.toLocaleString()} indexed, started{' '}
            <Time at={indexJob.startedAt} />
          </Fact>
        )}
        {excludeGlobs.length > 0 && <Fact title="Excluded">{excludeGlobs.join('  ')}</Fact>}
        <Fact title="Agent">{agentId}</Fact>
      </dl>
    </section>
  )
}

function SourceActions({ source, onDone }: { source: Source; onDone: () => void }) {
  const [asked, setAsked] = useState<'read' | 'remove' | 'export' | 'import'>()
  const request = { params: { sourceId: source.id }, query: { agentId: source.agentId } }
  const status = source.indexJob?.status
  const end = () => setAsked(undefined)
  return (
    <p class="line">
      {source.kind !== 'import' && (
        <button type="button" onClick={() => setAsked('read')}>
          Sync…
        </button>
      )}
      {isReading(source) && (
        <button
          type="button"
          class="plain"
          onClick={() =>
            runAndReport(() => call('POST /api/sources/:sourceId/pause', request), 'Paused', onDone)
          }
        >
          Pause
        </button>
      )}
      {status === 'paused' && (
        <button
          type="button"
          class="plain"
          onClick={() =>
            runAndReport(() => call('POST /api/sources/:sourceId/resume', request), 'Resumed', onDone)
          }
        >
          Resume
        </button>
      )}
      <button type="button" class="plain" onClick={() => setAsked('export')}>
        Export snapshot…
      </button>
      <button type="button" class="plain" onClick={() => setAsked('import')}>
        Import snapshot…
      </button>
      <button type="button" class="plain" onClick={() => setAsked('remove')}>
        Remove…
      </button>
      {asked === 'read' && <ReadAgain request={request} onClose={end} onDone={onDone} />}
      {asked === 'export' && <ExportSnapshot source={source} onClose={end} />}
      {asked === 'import' && <ImportSnapshot source={source} onClose={end} onDone={onDone} />}
      {asked === 'remove' && <Remove source={source} request={request} onClose={end} />}
    </p>
  )
}

interface SourceActionProps {
  request: { params: { sourceId: string }; query: { agentId: string } }
  onClose: () => void
}

function ReadAgain({ request, onClose, onDone }: SourceActionProps & { onDone: () => void }) {
  const [full, setFull] = useState(false)
  const act = async () => {
    await call('POST /api/sources/:sourceId/sync', { ...request, body: { full } })
    showMessage('Sync started')
    onDone()
  }
  return (
    <Confirm title="Sync this source?" deed="Sync" act={act} onClose={onClose} isMild>
      <p>New and changed items are indexed, deleted ones are removed. The source itself is not modified.</p>
      <Check checked={full} onChange={setFull}>
        Also index unchanged items again
      </Check>
    </Confirm>
  )
}

function Remove({ source, request, onClose }: SourceActionProps & { source: Source }) {
  const { kind, name, root, stats } = source
  const act = async () => {
    const { pending } = await call('DELETE /api/sources/:sourceId', request)
    changes.value++
    showMessage(pending ? `${name} is being removed in the background` : `${name} removed`)
    navigate(addressOf('sources'))
  }
  return (
    <Confirm title="Remove this source?" deed="Remove" act={act} onClose={onClose}>
      <dl class="facts">
        <Fact title="Source">
          {name} ({kindNames[kind]})
        </Fact>
        <Fact title="Deleted">
          {stats.artifacts.toLocaleString()} artifacts in {stats.chunks.toLocaleString()} passages; facts
          drawn from them lose their evidence
        </Fact>
        <Fact title="Kept">{kind === 'import' ? 'the original file' : root}</Fact>
      </dl>
      <p class="warn">This cannot be undone, but you can add the source again.</p>
    </Confirm>
  )
}
