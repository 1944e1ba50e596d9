import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/projects.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { useInterval } from '../parts/use-interval.js'
import { countText, ShortId, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { eventsByTurn } from './events-by-turn.js'
import { Moment, Note } from './moment.js'

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

type Turns = Reply<'GET /api/sessions/:key/turns'>
type Turn = Turns['turns'][number]
type Event = BlackBox['events'][number]

const roleNames: Readonly<Record<string, string>> = { user: 'You', assistant: 'Agent' }

const longText = 1200

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

interface ConversationProps {
  turns: readonly Turn[]
  total: number
  box: BlackBox | undefined
  /** The turn that a search found. */
  marked: number | undefined
  onMore: (side: 'before' | 'after') => void
}

/** The turns of a session, each with what the agent was given and what it saved. */
function Conversation({ turns, total, box, marked, onMore }: ConversationProps) {
  const notes = eventsByTurn(turns, box?.events ?? [])
  const names = box?.names ?? {}
  const before = turns[0]?.position ?? 0
  const after = total - (turns.at(-1)?.position ?? -1) - 1
  return (
    <section class="stack" aria-label="Conversation">
      {before > 0 && <More count={before} words="earlier" onClick={() => onMore('before')} />}
      <ol class="conversation">
        {before === 0 && notes.start.length > 0 && (
          <li class="turn">
            <p class="turn-text dim">The session starts.</p>
            <Notes events={notes.start} names={names} />
          </li>
        )}
        {turns.map(turn => (
          <TurnItem
            key={turn.position}
            turn={turn}
            events={notes.of.get(turn.position) ?? []}
            names={names}
            isMarked={turn.position === marked}
          />
        ))}
      </ol>
      {after > 0 && <More count={after} words="later" onClick={() => onMore('after')} />}
    </section>
  )
}

function More({ count, words, onClick }: { count: number; words: string; onClick: () => void }) {
  return (
    <p>
      <button type="button" class="plain" onClick={onClick}>
        {countText(count, `${words} message`)}
      </button>
    </p>
  )
}

interface TurnItemProps {
  turn: Turn
  events: readonly Event[]
  names: BlackBox['names']
  isMarked: boolean
}

function TurnItem({ turn: { position, role, text, at }, events, names, isMarked }: TurnItemProps) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isMarked) item.current?.scrollIntoView({ block: 'center' })
  }, [isMarked])
  return (
    <li
      ref={item}
      class={`turn ${role === 'user' ? 'user' : ''} ${isMarked ? 'marked' : ''}`}
      aria-current={isMarked ? 'true' : undefined}
    >
      <div class="stack turn-text">
        <span class="line">
          <strong>{roleNames[role] ?? role}</strong>
          <span class="dim">
            {at !== null && <Time at={at} />} #{position + 1}
          </span>
        </span>
        {text === null ? <p class="warn">Withheld: it failed the safety check.</p> : <TurnText text={text} />}
      </div>
      <Notes events={events} names={names} said={text} />
    </li>
  )
}

/** A long text is folded, so that one output of a tool does not hide the conversation. */
function TurnText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  if (text.length <= longText || isWhole) return <p class="words">{text}</p>
  return (
    <>
      <p class="words">{text.slice(0, longText)}…</p>
      <p>
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          Show all
        </button>
      </p>
    </>
  )
}

interface NotesProps {
  events: readonly Event[]
  names: BlackBox['names']
  said?: string | null
}

function Notes({ events, names, said }: NotesProps) {
  if (events.length === 0) return null
  return (
    <ol class="plain-list turn-notes">
      {events.map(event => (
        <Note key={event.id} event={event} names={names} said={said ?? ''} />
      ))}
    </ol>
  )
}
