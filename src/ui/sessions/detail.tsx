import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { useInterval } from '../parts/use-interval.js'
import { addressOf } from '../routing/place.js'
import { Moment } from './moment.js'

type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>

const everyMs = 5000

interface DetailProps {
  sessionKey: string
  agentId: string | undefined
}

/** One session: its context, and its requests, received memories and writes in order of time. */
export function SessionDetail({ sessionKey: key, agentId }: DetailProps) {
  const box = useLoaded(
    signal => call('GET /api/sessions/:key/blackbox', { params: { key }, query: { agentId } }, { signal }),
    [key, agentId, useInterval(everyMs)],
  )
  return (
    <>
      <p>
        <a href={addressOf('sessions')}>← All sessions</a>
      </p>
      <div class="head-line">
        <h1 class="words">Session {key}</h1>
        <a class="as-button" href={addressOf('preview')}>
          Preview the next start
        </a>
      </div>
      {box.error && box.error.status !== 404 && <Failure error={box.error} retry={box.reload} />}
      {box.error?.status === 404 && <Empty title="No record of this session" />}
      {!box.value && !box.error && <Loading />}
      {box.value && <SessionTimeline box={box.value} />}
      {(box.value || box.error) && <Transcript sessionKey={key} agentId={agentId} />}
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

/** Loaded on demand, because a conversation may be long. */
function Transcript({ sessionKey: key, agentId }: DetailProps) {
  const [isOpen, setOpen] = useState(false)
  const transcript = useLoaded(
    signal =>
      isOpen
        ? call('GET /api/sessions/:key/transcript', { params: { key }, query: { agentId } }, { signal })
        : undefined,
    [key, agentId, isOpen],
  )
  return (
    <section class="stack" aria-label="Conversation">
      <h2>Conversation</h2>
      {!isOpen && (
        <p>
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            Show conversation
          </button>
        </p>
      )}
      {isOpen && transcript.isLoading && <Loading />}
      {transcript.error && <Failure error={transcript.error} />}
      {transcript.value && (
        <>
          <p class="dim">
            {countOf(transcript.value.messages, 'message')}, captured{' '}
            <Time at={transcript.value.capturedAt} />
          </p>
          <pre class="card">{transcript.value.content}</pre>
        </>
      )}
    </section>
  )
}
