import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useEvery } from '../parts/every.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { Card } from './card.js'

const everyMs = 10_000

export function LatestMemories() {
  const loaded = useLoaded(
    signal => call('GET /api/memories', { query: { limit: 8, maxContent: 200 } }, { signal }),
    [useEvery(everyMs)],
  )
  return (
    <Card title="Latest memories" loaded={loaded} isBroad>
      {({ memories }) =>
        memories.length === 0 ? (
          <p class="dim">
            None yet. <code>memory remember "We deploy on Tuesdays"</code> saves the first.
          </p>
        ) : (
          <ul class="plain-list lined">
            {memories.map(({ id, content, type, who, created_at: at }) => (
              <li key={id}>
                <a class="quiet" href={addressOf('memories', [id])}>
                  {content}
                </a>{' '}
                <span class="dim">
                  {type}
                  {who && `, ${who}`}, <Time at={at} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Card>
  )
}
