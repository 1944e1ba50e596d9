import { call } from '../api/call.js'
import { useFollowed } from '../api/followed.js'
import { Failure } from '../parts/failure.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'

const shown = 50

/** Sessions that are live, of every agent that may be seen. */
export function Presence() {
  const loaded = useFollowed(
    signal =>
      call('GET /api/cross-agent/presence', { query: { include_self: true, limit: shown } }, { signal }),
    [],
    () => false,
  )
  const sessions = loaded.value?.sessions
  return (
    <section class="card" aria-label="At work">
      <h2>At work</h2>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {sessions?.length === 0 && (
        <p class="dim">
          No agent is in a session now. <code>memory connect</code> lets them use this memory.
        </p>
      )}
      {sessions && sessions.length > 0 && (
        <ul class="plain-list lined presence">
          {sessions.map(({ key, agentId, harness, project, seenAt }) => (
            <li key={`${agentId} ${key}`} class="line">
              <a href={addressOf('sessions', [key], { agent: agentId })}>{agentId}</a>
              <span>{harness}</span>
              <span class="dim words">
                {project ?? 'no project'}, seen <Time at={seenAt} />
              </span>
              <a href={addressOf('tasks', ['messages'], { agent: agentId })}>Messages</a>
            </li>
          ))}
        </ul>
      )}
      {sessions?.length === shown && <p class="dim">The {shown} that were seen last.</p>}
    </section>
  )
}
