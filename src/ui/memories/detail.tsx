import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { actorName, labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/projects.js'
import { may } from '../api/session.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { Command, countText, Fact, SafeLink, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { EditMemory, Supersede } from './edit.js'
import { Forget } from './forget.js'
import { type MemoryRecord, tagsOf } from './row.js'

type Event = Reply<'GET /api/memory/:id/history'>['history'][number]

const words: Readonly<Record<Event['event'], string>> = {
  created: 'Saved',
  modified: 'Changed',
  deleted: 'Forgotten',
  recovered: 'Recovered',
  none: 'Reviewed, unchanged',
}

/** One memory with all its data. */
export function MemoryDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const memory = useLoaded(
    signal => call('GET /api/memory/:id', { params: { id } }, { signal }),
    [id, changes.value],
  )
  return (
    <>
      <div class="line">
        <button type="button" class="plain" onClick={onClose}>
          ← Back to the list
        </button>
        {memory.value && !memory.error && <MemoryActions memory={memory.value} onForgotten={onClose} />}
      </div>
      {memory.error && <Failure error={memory.error} retry={memory.reload} />}
      {!memory.value && !memory.error && <Loading />}
      {memory.value && !memory.error && <MemoryContent memory={memory.value} />}
    </>
  )
}

type DialogName = 'edit' | 'supersede' | 'forget'

function MemoryActions({ memory, onForgotten }: { memory: MemoryRecord; onForgotten: () => void }) {
  const [deed, setDeed] = useState<DialogName>()
  const end = () => setDeed(undefined)
  return (
    <>
      {may('modify') && (
        <button type="button" onClick={() => setDeed('edit')}>
          Edit…
        </button>
      )}
      {may('modify') && may('remember') && memory.superseded_by === null && (
        <button type="button" class="plain" onClick={() => setDeed('supersede')}>
          Correct…
        </button>
      )}
      {may('modify') &&
        judgements.map(([judgement, title]) => (
          <button key={judgement} type="button" class="plain" onClick={() => judge(memory.id, judgement)}>
            {title}
          </button>
        ))}
      {may('forget') && (
        <button type="button" class="plain" onClick={() => setDeed('forget')}>
          Forget…
        </button>
      )}
      {deed === 'edit' && <EditMemory memory={memory} onClose={end} />}
      {deed === 'supersede' && <Supersede memory={memory} onClose={end} />}
      {deed === 'forget' && <Forget lines={[memory]} onClose={end} onDone={onForgotten} />}
    </>
  )
}

const judgements = [
  ['up', 'Helpful'],
  ['down', 'Not helpful'],
  ['wrong', 'Wrong'],
] as const

/** Stores the person's judgement, which counts in all recalls. */
function judge(id: string, judgement: (typeof judgements)[number][0]): void {
  const rate = (word: (typeof judgements)[number][0] | 'none') =>
    call('POST /api/memory/:id/judgement', { params: { id }, body: { judgement: word } })
  rate(judgement).then(
    () =>
      showMessage(
        judgement === 'wrong' ? 'Marked as wrong. Correct or forget it with the buttons above.' : 'Rated.',
        async () => void (await rate('none')),
      ),
    showFailure,
  )
}

function MemoryContent({ memory }: { memory: MemoryRecord }) {
  const safety = memory.contentSafety
  return (
    <>
      {memory.superseded_by && (
        <p class="banner">
          Replaced <Time at={memory.superseded_at} /> by{' '}
          <a href={addressOf('memories', [memory.superseded_by])}>another memory</a>
          {memory.superseded_reason && `: ${memory.superseded_reason}`}
        </p>
      )}
      {safety.status !== 'clean' && (
        <p class="banner">
          {safety.status === 'blocked' ? 'Blocked' : 'Tainted'}: withheld from agents (
          {safety.reasons.join(', ').replaceAll('_', ' ')}).
        </p>
      )}
      <p class="content words">{memory.verbatim ?? memory.content}</p>
      <p class="line">
        {memory.pinned === 1 && <span class="tag">★ pinned</span>}
        {tagsOf(memory.tags).map(tag => (
          <a key={tag} class="tag" href={addressOf('memories', [], { tag })}>
            {tag}
          </a>
        ))}
      </p>
      <Facts memory={memory} />
      <Lineage id={memory.id} />
      <Claims id={memory.id} agentId={memory.holders[0]?.agent_id} />
      <History id={memory.id} />
    </>
  )
}

function Facts({ memory }: { memory: MemoryRecord }) {
  const nameOf = useProjectNames()
  const places = memory.holders.map(({ agent_id, project, scope }) =>
    [agent_id, nameOf(project), scope].filter(Boolean).join(' · '),
  )
  return (
    <dl class="facts">
      <Fact title="Type">{labelOf('memoryType', memory.type)}</Fact>
      <Fact title="Importance">{memory.importance.toFixed(2)}</Fact>
      <Fact title="Saved">
        <Time at={memory.created_at} />
        {memory.who && ` by ${labelOf('harness', memory.who)}`}
      </Fact>
      {memory.updated_at !== memory.created_at && (
        <Fact title="Changed">
          <Time at={memory.updated_at} /> by {actorName(memory.updated_by)}, version {memory.version}
        </Fact>
      )}
      <Fact title="Agents">{places.join(', ')}</Fact>
      {memory.branch && <Fact title="Branch">{memory.branch}</Fact>}
      {memory.session_id && (
        <Fact title="Session">
          <a href={addressOf('sessions', [memory.session_id])}>{memory.session_id}</a>
        </Fact>
      )}
      {memory.source_path && (
        <Fact title="Source">
          <SafeLink address={memory.source_path} />
        </Fact>
      )}
      {(memory.valid_from || memory.valid_until) && (
        <Fact title="Valid">
          <Time at={memory.valid_from} /> to <Time at={memory.valid_until} />
        </Fact>
      )}
      <Fact title="Recalled">
        {memory.access_count === 0 ? 'never' : `${countText(memory.access_count, 'time')}, last `}
        {memory.access_count > 0 && <Time at={memory.last_accessed} />}
      </Fact>
      <Fact title="Embedding">{memory.embedding_model ?? 'none yet'}</Fact>
      <Fact title="ID">
        <code>{memory.id}</code>
      </Fact>
    </dl>
  )
}

/** Facts from a memory with their quotes; hidden if there are none. */
function Claims({ id, agentId }: { id: string; agentId: string | undefined }) {
  const loaded = useLoaded(
    signal =>
      call('GET /api/ontology/memories/:id/claims', { params: { id }, query: { agentId } }, { signal }),
    [id, agentId, changes.value],
  )
  // Facts belong to the agent; without permission to read as that agent they are hidden.
  if (loaded.error?.status === 403) return null
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  if (!loaded.value || loaded.value.claims.length === 0) return null
  const { claims, truncated } = loaded.value
  return (
    <section class="stack" aria-label="Facts from this memory">
      <h2>Facts from this memory</h2>
      <ul class="plain-list lined">
        {claims.map(fact => (
          <li key={`${fact.id} ${fact.quote}`}>
            <span class="line">
              <a href={addressOf('knowledge', ['entity', fact.entity.id])}>{fact.entity.name}</a>
              <span class="dim">
                {fact.aspect} · {fact.group} · {fact.claim}
              </span>
              <strong class="words">{fact.value}</strong>
              <span class={fact.status === 'current' ? 'tag' : 'tag warn'}>{fact.status}</span>
            </span>
            <q class="words dim">{fact.quote}</q>
          </li>
        ))}
      </ul>
      {truncated && <p class="dim">Showing the newest {claims.length}.</p>}
    </section>
  )
}

/** The memory's replacements; hidden if there are none. */
function Lineage({ id }: { id: string }) {
  const lineage = useLoaded(
    signal => call('GET /api/memory/:id/lineage', { params: { id } }, { signal }),
    [id, changes.value],
  )
  if (lineage.error) return <Failure error={lineage.error} retry={lineage.reload} />
  const items = lineage.value?.lineage ?? []
  if (items.length < 2) return null
  return (
    <section class="stack" aria-label="Lineage">
      <h2>Lineage</h2>
      <ol class="plain-list lined">
        {items.map(item => (
          <li key={item.id}>
            <span class="dim">
              <Time at={item.createdAt} />
              {item.supersededReason && ` · replaced: ${item.supersededReason}`}
            </span>
            <p class="words">
              {item.id === id ? (
                <strong>{item.content}</strong>
              ) : (
                <a href={addressOf('memories', [item.id])}>{item.content}</a>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Events of a memory, newest first. */
function History({ id }: { id: string }) {
  const history = useLoaded(
    signal => call('GET /api/memory/:id/history', { params: { id } }, { signal }),
    [id, changes.value],
  )
  if (history.error) return <Failure error={history.error} retry={history.reload} />
  return (
    <section class="stack" aria-label="History">
      <h2>History</h2>
      <ol class="plain-list lined">
        {history.value?.history.toReversed().map(event => (
          <li key={event.id}>
            <span class="line">
              <strong>{words[event.event]}</strong>
              <Time at={event.createdAt} />
              <span class="dim">
                by {actorName(event.changedBy)}
                {event.reason && `: ${event.reason}`}
              </span>
            </span>
            {event.oldContent !== null &&
              event.newContent !== null &&
              event.oldContent !== event.newContent && <p class="words dim">Before: {event.oldContent}</p>}
          </li>
        ))}
      </ol>
      {history.value?.nextOffset !== undefined && (
        <p class="dim">
          Full history: <Command text={`memory history ${id}`} />
        </p>
      )}
    </section>
  )
}
