import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/project-names.js'
import { may } from '../api/session.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { SearchField } from '../parts/fields/search-field.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { showFailure } from '../parts/toast.js'
import { useDebounced, useInterval } from '../parts/use-interval.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { SessionDetail } from './detail.js'
import './sessions.css'

type Live = Reply<'GET /api/sessions'>['sessions'][number]
const maxPast = 200
const everyMs = 5000

/** Active and past sessions of agents. */
export default function Sessions({ place }: PageProps) {
  const [key] = place.rest
  if (key !== undefined)
    return <SessionDetail key={`${key} ${place.query.agent}`} sessionKey={key} agentId={place.query.agent} />
  return <Lists />
}

function Lists() {
  const [q, setQ] = useState('')
  const asked = useDebounced(q.trim(), 250)
  return (
    <>
      <h1>Sessions</h1>
      <SearchField label="Search conversations" value={q} onInput={setQ} />
      {asked === '' ? (
        <>
          <LiveSessions />
          <PastSessions />
        </>
      ) : (
        <Hits query={asked} />
      )}
    </>
  )
}

function Hits({ query }: { query: string }) {
  const nameOf = useProjectNames()
  const hits = useLoaded(
    signal => call('POST /api/sessions/search', { body: { query, limit: 20 } }, { signal }),
    [query],
  )
  if (hits.error) return <Failure error={hits.error} retry={hits.reload} />
  if (!hits.value) return <Loading />
  if (hits.value.count === 0)
    return (
      <Empty title="No matches">
        <p>Only captured conversations are searched.</p>
      </Empty>
    )
  return (
    <ol class="plain-list lined">
      {hits.value.hits.map(({ sessionKey, project, updatedAt, excerpt, rank }) => (
        <li key={rank}>
          <a href={addressOf('sessions', [sessionKey])}>{sessionKey}</a>{' '}
          <span class="dim">
            {nameOf(project)} <Time at={updatedAt} />
          </span>
          <p class="words">{excerpt}</p>
        </li>
      ))}
    </ol>
  )
}

function LiveSessions() {
  const nameOf = useProjectNames()
  const live = useLoaded(signal => call('GET /api/sessions', {}, { signal }), [useInterval(everyMs)])
  const bypass = ({ key, agentId, bypassed }: Live) =>
    call('POST /api/sessions/:key/bypass', { params: { key }, body: { enabled: !bypassed, agentId } }).then(
      live.reload,
      showFailure,
    )
  return (
    <section class="stack" aria-label="Active sessions">
      <h2>Active</h2>
      {live.error && <Failure error={live.error} retry={live.reload} />}
      {live.value?.count === 0 && (
        <Empty title="No active sessions">
          <p>
            Connect a coding agent with <code>memory connect</code>.
          </p>
        </Empty>
      )}
      <ul class="plain-list lined">
        {live.value?.sessions.map(session => (
          <li key={`${session.agentId} ${session.key}`} class="line">
            <a href={addressOf('sessions', [session.key], { agent: session.agentId })}>{session.key}</a>
            <span>
              {labelOf('harness', session.harness)}, {session.agentId}, {countOf(session.prompts, 'prompt')}
            </span>
            <span class="dim">
              {nameOf(session.project)} <Time at={session.seenAt} />
            </span>
            {session.bypassed && <span class="tag warn">hooks off</span>}
            {may('remember') && (
              <button type="button" class="plain" onClick={() => bypass(session)}>
                {session.bypassed ? 'Turn hooks on' : 'Turn hooks off'}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function PastSessions() {
  const nameOf = useProjectNames()
  const past = useLoaded(
    signal => call('GET /api/sessions/blackbox', { query: { limit: maxPast } }, { signal }),
    [],
  )
  return (
    <section class="stack" aria-label="Past sessions">
      <h2>Past sessions</h2>
      {past.error && <Failure error={past.error} retry={past.reload} />}
      {past.value?.count === 0 && (
        <Empty title="No past sessions yet">
          <p>Sessions appear here once they recall or receive memories.</p>
        </Empty>
      )}
      <ul class="plain-list lined">
        {past.value?.sessions.map(({ sessionKey, agentId, project, lastAt, recallEvents }) => (
          <li key={`${agentId} ${sessionKey}`} class="line">
            <a href={addressOf('sessions', [sessionKey], { agent: agentId })}>{sessionKey}</a>
            <span>
              {agentId}, {countOf(recallEvents, 'recall')}
            </span>
            <span class="dim">
              {nameOf(project)} <Time at={lastAt} />
            </span>
          </li>
        ))}
      </ul>
      {past.value?.count === maxPast && <p class="dim">Showing the {maxPast} most recent.</p>}
    </section>
  )
}
