import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/project-names.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { Time } from '../parts/time.js'
import { useInterval } from '../parts/use-interval.js'
import { ShortId } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { Conversation, type Turns } from './conversation.js'
import { Moment } from './moment.js'

type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>

const everyMs = 5000
const step = 50
/** Turns before the one that is opened. */
const lead = 10

interface DetailProps {
  sessionKey: string
  agentId: string | undefined
  /** Position of a turn to open. */
  turn: number | undefined
}

/** One session as a conversation, with what it was given and saved beside the turns. */
export function SessionDetail({ sessionKey: key, agentId, turn }: DetailProps) {
  const [isLog, setLog] = useState(false)
  const round = useInterval(everyMs)
  const box = useLoaded(
    signal => call('GET /api/sessions/:key/blackbox', { params: { key }, query: { agentId } }, { signal }),
    [key, agentId, round],
  )
  const [span, setSpan] = useState({ from: Math.max(0, (turn ?? 0) - lead), count: step })
  const talk = useLoaded(
    signal => readTurns({ key, agentId, ...span }, signal),
    [key, agentId, span.from, span.count, round],
  )
  const more = (side: 'before' | 'after') => {
    const earlier = side === 'before' ? Math.min(step, span.from) : 0
    setSpan({ from: span.from - earlier, count: span.count + (side === 'before' ? earlier : step) })
  }
  const hasTurns = (talk.value?.total ?? 0) > 0
  const isTalk = hasTurns && !isLog
  return (
    <>
      <p>
        <a href={addressOf('sessions')}>← All sessions</a>
      </p>
      <Head sessionKey={key} agentId={agentId} talk={talk.value} />
      {hasTurns && (
        <p class="line">
          <button type="button" class="plain" aria-pressed={!isLog} onClick={() => setLog(false)}>
            Conversation
          </button>
          <button type="button" class="plain" aria-pressed={isLog} onClick={() => setLog(true)}>
            Events and context
          </button>
        </p>
      )}
      {talk.error && talk.error.status !== 404 && <Failure error={talk.error} retry={talk.reload} />}
      {box.error && box.error.status !== 404 && <Failure error={box.error} retry={box.reload} />}
      {box.error?.status === 404 && talk.error?.status === 404 && <Empty title="No record of this session" />}
      {talk.isLoading && !talk.value && !talk.error && <Loading />}
      {isTalk && talk.value && <Conversation {...talk.value} box={box.value} marked={turn} onMore={more} />}
      {talk.value && !hasTurns && (
        <p class="dim">Its conversation is not stored yet: that happens when the agent ends it.</p>
      )}
      {!isTalk && (talk.value || talk.error) && box.value && <SessionTimeline box={box.value} />}
    </>
  )
}

interface Span {
  key: string
  agentId: string | undefined
  from: number
  count: number
}

const mostTurns = 200

/** Reads a span of turns in pages. */
async function readTurns({ key, agentId, from, count }: Span, signal: AbortSignal): Promise<Turns> {
  const turns: Turns['turns'] = []
  for (;;) {
    const next = from + turns.length
    const limit = Math.min(mostTurns, count - turns.length)
    const request = { params: { key }, query: { agentId, from: next, limit } }
    const page = await call('GET /api/sessions/:key/turns', request, { signal })
    turns.push(...page.turns)
    if (page.turns.length < limit || turns.length >= count) return { ...page, turns }
  }
}

interface HeadProps {
  sessionKey: string
  agentId: string | undefined
  talk: Turns | undefined
}

/** Title, agent, project, and the session that it continues. */
function Head({ sessionKey, agentId, talk }: HeadProps) {
  const nameOf = useProjectNames()
  return (
    <>
      <div class="head-line">
        <h1 class="words">{talk?.title ?? `Session ${sessionKey}`}</h1>
        <a class="as-button" href={addressOf('preview')}>
          Preview the next start
        </a>
      </div>
      {talk && (
        <p class="line dim">
          <span class="meta">
            <span>{labelOf('harness', talk.harness)}</span>
            <span>{talk.agentId !== 'default' && `agent ${talk.agentId}`}</span>
            <span>{talk.project && nameOf(talk.project)}</span>
            <span>{countOf(talk.total, 'message')}</span>
            <span>{countOf(talk.memories, 'memory', 'memories')} saved</span>
            <Time at={talk.capturedAt} />
          </span>
          <ShortId id={sessionKey} />
          {talk.forkOf && (
            <a href={addressOf('sessions', [talk.forkOf], { agent: agentId })}>
              continues an earlier session
            </a>
          )}
        </p>
      )}
    </>
  )
}

function SessionTimeline({ box: { events, names, frame } }: { box: BlackBox }) {
  return (
    <>
      <section class="card" aria-label="Context">
        <h2>Context</h2>
        <p class="dim">
          {countOf(frame.activeRefCount, 'memory', 'memories')} in context, most influential first.
        </p>
        <ul class="plain-list lined">
          {frame.likelyInfluences.map(({ id, rank, times, lastAt, type, preview }) => (
            <li key={id}>
              <a href={addressOf('memories', [id])}>{preview || '(hidden memory)'}</a>{' '}
              <span class="dim">
                {labelOf('memoryType', type)}, shown {countOf(times, 'time')}, best rank {rank}, last{' '}
                <Time at={lastAt} />
              </span>
            </li>
          ))}
        </ul>
        {frame.warnings.map(({ ref, code, message }) => (
          <p key={`${ref} ${code}`} class="warn">
            {message} (<a href={addressOf('memories', [ref])}>{code}</a>)
          </p>
        ))}
      </section>
      <section class="stack" aria-label="Timeline">
        <h2>Timeline</h2>
        {events.length === 0 && <Empty title="No recalls or injected memories" />}
        <ol class="timeline">
          {events.map(event => (
            <Moment key={event.id} event={event} names={names} />
          ))}
        </ol>
      </section>
    </>
  )
}
