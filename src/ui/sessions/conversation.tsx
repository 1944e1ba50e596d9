import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { Time } from '../parts/time.js'
import { countText } from '../parts/values.js'
import { eventsByTurn } from './events-by-turn.js'
import { Note } from './moment.js'

export type Turns = Reply<'GET /api/sessions/:key/turns'>
type Turn = Turns['turns'][number]
type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>
type Event = BlackBox['events'][number]

interface ConversationProps {
  turns: readonly Turn[]
  total: number
  box: BlackBox | undefined
  /** The turn that a search found. */
  marked: number | undefined
  onMore: (side: 'before' | 'after') => void
}

/** The turns of a session, each with what the agent was given and what it saved. */
export function Conversation({ turns, total, box, marked, onMore }: ConversationProps) {
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

const roleNames: Readonly<Record<string, string>> = { user: 'You', assistant: 'Agent' }

const longText = 1200

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
