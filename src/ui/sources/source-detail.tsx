import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/followed.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { doNow } from '../parts/do-now.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Check } from '../parts/fields/field.js'
import { healthTones } from '../parts/health-tones.js'
import { Loading } from '../parts/loading.js'
import { Progress } from '../parts/progress.js'
import { SafeLink } from '../parts/safe-link.js'
import { Time } from '../parts/time.js'
import { say } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { go } from '../routing/router.js'
import { Artifacts } from './artifacts.js'
import { ExportSnapshot, ImportSnapshot } from './snapshots.js'
import { conditionWords, isReading, jobWords, kindNames, type Source } from './source-words.js'
import { Unread } from './unread.js'

interface SourceDetailProps {
  id: string
  agentId: string | undefined
}

/** One source: how far it is read, what of it could not be, and what was found. */
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
            {may('modify') && <Deeds source={source} onDone={loaded.reload} />}
          </div>
          <Told source={source} />
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

function Told({ source }: { source: Source }) {
  const { kind, root, agentId, stats, indexJob, lastIndexedAt, excludeGlobs, health } = source
  const words = conditionWords(source)
  return (
    <section class="card" aria-label="Condition">
      <p class="line" role="status">
        {indexJob?.status === 'running' ? (
          <Progress label="Reading" done={indexJob.scanned} total={indexJob.total} />
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
        <Fact title="Place">
          <SafeLink address={root} />
        </Fact>
        <Fact title="Artifacts">
          {stats.artifacts.toLocaleString()} in {stats.chunks.toLocaleString()} passages
        </Fact>
        <Fact title="Last read whole">
          <Time at={lastIndexedAt} />
        </Fact>
        {indexJob && (
          <Fact title="This pass">
            {indexJob.scanned.toLocaleString()} looked at, {indexJob.indexed.toLocaleString()} taken, begun{' '}
            <Time at={indexJob.startedAt} />
          </Fact>
        )}
        {excludeGlobs.length > 0 && <Fact title="Left out">{excludeGlobs.join('  ')}</Fact>}
        <Fact title="Agent">{agentId}</Fact>
      </dl>
    </section>
  )
}

function Deeds({ source, onDone }: { source: Source; onDone: () => void }) {
  const [asked, setAsked] = useState<'read' | 'remove' | 'export' | 'import'>()
  const request = { params: { sourceId: source.id }, query: { agentId: source.agentId } }
  const status = source.indexJob?.status
  const end = () => setAsked(undefined)
  return (
    <p class="line">
      {source.kind !== 'import' && (
        <button type="button" onClick={() => setAsked('read')}>
          Read again…
        </button>
      )}
      {isReading(source) && (
        <button
          type="button"
          class="plain"
          onClick={() => doNow(() => call('POST /api/sources/:sourceId/pause', request), 'Paused', onDone)}
        >
          Pause
        </button>
      )}
      {status === 'paused' && (
        <button
          type="button"
          class="plain"
          onClick={() => doNow(() => call('POST /api/sources/:sourceId/resume', request), 'Goes on', onDone)}
        >
          Resume
        </button>
      )}
      <button type="button" class="plain" onClick={() => setAsked('export')}>
        Save a snapshot…
      </button>
      <button type="button" class="plain" onClick={() => setAsked('import')}>
        Take a snapshot in…
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

interface OfSource {
  request: { params: { sourceId: string }; query: { agentId: string } }
  onClose: () => void
}

function ReadAgain({ request, onClose, onDone }: OfSource & { onDone: () => void }) {
  const [full, setFull] = useState(false)
  const act = async () => {
    await call('POST /api/sources/:sourceId/sync', { ...request, body: { full } })
    say('It is read in the background')
    onDone()
  }
  return (
    <Confirm title="Read it again?" deed="Read" act={act} onClose={onClose} isMild>
      <p>What is new or changed is taken, what is gone there goes here too. The source is not touched.</p>
      <Check checked={full} onChange={setFull}>
        Also what looks unchanged
      </Check>
    </Confirm>
  )
}

function Remove({ source, request, onClose }: OfSource & { source: Source }) {
  const { kind, name, root, stats } = source
  const act = async () => {
    const { pending } = await call('DELETE /api/sources/:sourceId', request)
    changes.value++
    say(pending ? `${name} is being taken away in the background` : `${name} is removed`)
    go(addressOf('sources'))
  }
  return (
    <Confirm title="Remove this source?" deed="Remove" act={act} onClose={onClose}>
      <dl class="facts">
        <Fact title="Source">
          {name} ({kindNames[kind]})
        </Fact>
        <Fact title="Goes">
          {stats.artifacts.toLocaleString()} artifacts in {stats.chunks.toLocaleString()} passages, and what
          was concluded from them loses its evidence
        </Fact>
        <Fact title="Stays">{kind === 'import' ? 'the file that it came from' : `${root}, as it is`}</Fact>
      </dl>
      <p class="warn">This can’t be undone; the source can be added and read again.</p>
    </Confirm>
  )
}
