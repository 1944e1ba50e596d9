import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useEvery } from '../parts/every.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { Card } from './card.js'

const everyMs = 10_000

export function LiveSessions() {
  const loaded = useLoaded(
    signal => call('GET /api/sessions', { query: { limit: 8 } }, { signal }),
    [useEvery(everyMs)],
  )
  return (
    <Card title="Sessions now" loaded={loaded}>
      {({ sessions }) =>
        sessions.length === 0 ? (
          <p class="dim">
            No agent is at work. <code>memory connect</code> lets them use this memory.
          </p>
        ) : (
          <ul class="plain-list lined">
            {sessions.map(({ key, harness, project, seenAt, prompts }) => (
              <li key={key}>
                <a href={addressOf('sessions', [key])}>{harness}</a>, {prompts} prompts{' '}
                <span class="dim">
                  <Time at={seenAt} />
                </span>
                <br />
                <span class="dim">{project ?? 'no project'}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Card>
  )
}
