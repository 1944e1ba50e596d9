import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { chosenProject, useProjectNames } from '../api/projects.js'
import { may } from '../api/session.js'
import { ConnectAgents, ImportSessions } from '../frame/connect-agents.js'
import { SearchField } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { showFailure } from '../parts/toast.js'
import { useDebounced, useInterval } from '../parts/use-interval.js'
import { Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import type { PageProps } from '../routing/router.js'
import { SessionDetail } from './detail.js'
import './sessions.css'

type Listed = Reply<'GET /api/sessions'>['sessions'][number]
const maxListed = 200
const everyMs = 5000

/** Active and past sessions of agents. */
export default function Sessions({ place }: PageProps) {
  const [key] = place.rest
  const { agent, turn } = place.query
  if (key !== undefined)
    return (
      <SessionDetail
        key={`${key} ${agent} ${turn}`}
        sessionKey={key}
        agentId={agent}
        turn={turn === undefined ? undefined : Number(turn)}
      />
    )
  return <Lists />
}

function Lists() {
  const [q, setQ] = useState('')
  const asked = useDebounced(q.trim(), 250)
  return (
    <>
      <h1>Sessions</h1>
      <SearchField label="Search conversations" value={q} onInput={setQ} />
      {asked === '' ? <AllSessions /> : <Hits query={asked} />}
    </>
  )
}

function Hits({ query }: { query: string }) {
  const nameOf = useProjectNames()
  const project = chosenProject.value
  const hits = useLoaded(
    signal => call('POST /api/sessions/search', { body: { query, limit: 20, project } }, { signal }),
    [query, project],
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
    <ol class="plain-list lined reading">
      {hits.value.hits.map(({ sessionKey, project: origin, updatedAt, excerpt, position, rank }) => (
        <li key={rank}>
          <a class="words" href={addressOf('sessions', [sessionKey], { turn: String(position) })}>
            {excerpt}
          </a>
          <p class="meta">
            <span>message {position + 1}</span>
            <span>{origin && nameOf(origin)}</span>
            <Time at={updatedAt} />
          </p>
        </li>
      ))}
    </ol>
  )
}

/** Live, past and imported sessions in one list. */
function AllSessions() {
  const nameOf = useProjectNames()
  const project = chosenProject.value
  const loaded = useLoaded(
    signal => call('GET /api/sessions', { query: { past: true, limit: maxListed, project } }, { signal }),
    [useInterval(everyMs), project],
  )
  const bypass = ({ key, agentId, bypassed }: Listed) =>
    call('POST /api/sessions/:key/bypass', { params: { key }, body: { enabled: !bypassed, agentId } }).then(
      loaded.reload,
      showFailure,
    )
  return (
    <section class="stack" aria-label="All sessions">
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {loaded.value?.count === 0 && <NoSessions isNarrowed={project !== undefined} />}
      <ul class="plain-list lined reading">
        {loaded.value?.sessions.map(session => (
          <li key={`${session.agentId} ${session.key}`} class="session-row">
            <a class="clip" href={addressOf('sessions', [session.key], { agent: session.agentId })}>
              {session.title ?? session.key}
            </a>
            <div class="line dim">
              <span class="meta">
                <span>{labelOf('harness', session.harness)}</span>
                <span>{session.agentId !== 'default' && `agent ${session.agentId}`}</span>
                <span>{session.project && nameOf(session.project)}</span>
                <span>{countOf(session.turns, 'message')}</span>
                <span>
                  {session.memories > 0 && `${countOf(session.memories, 'memory', 'memories')} saved`}
                </span>
                <Time at={session.seenAt} />
              </span>
              {session.isLive && <span class="tag">live</span>}
              {session.bypassed && <span class="tag warn">hooks off</span>}
              {session.forkOf && (
                <a href={addressOf('sessions', [session.forkOf], { agent: session.agentId })}>
                  continues an earlier session
                </a>
              )}
              {session.isLive && may('remember') && (
                <button type="button" class="plain" onClick={() => bypass(session)}>
                  {session.bypassed ? 'Turn hooks on' : 'Turn hooks off'}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {loaded.value?.count === maxListed && <p class="dim">Showing the {maxListed} most recent.</p>}
    </section>
  )
}

function NoSessions({ isNarrowed }: { isNarrowed: boolean }) {
  return (
    <Empty title={isNarrowed ? 'No sessions in this project' : 'No sessions yet'}>
      <p>
        <ConnectAgents />
      </p>
      <p>
        <ImportSessions />
      </p>
      {may('modify') && (
        <p>
          <a class="as-button" href={addressOf('sources', ['imports'], { add: 'files' })}>
            Import files of sessions…
          </a>
        </p>
      )}
    </Empty>
  )
}
