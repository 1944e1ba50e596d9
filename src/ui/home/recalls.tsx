import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { countText } from '../parts/count-text.js'
import { Time } from '../parts/time.js'
import { useInterval } from '../parts/use-interval.js'
import { Card } from './card.js'

const everyMs = 15_000
const weekMs = 7 * 24 * 60 * 60 * 1000
const maxEvents = 10_000

/** The number of recalls and their hit rate. */
export function Recalls() {
  const loaded = useLoaded(
    async signal => {
      const since = new Date(Date.now() - weekMs).toISOString()
      const query = { event: 'recall.outcome', since, limit: maxEvents }
      const [usage, latency, telemetry] = await Promise.all([
        call('GET /api/analytics/usage', {}, { signal }),
        call('GET /api/analytics/latency', {}, { signal }),
        call('GET /api/telemetry/events', { query }, { signal }),
      ])
      return { usage, latency, telemetry }
    },
    [useInterval(everyMs)],
  )
  return (
    <Card title="Recalls" loaded={loaded}>
      {({ usage, latency, telemetry }) => (
        <>
          <p class="figure">{usage.memory.recalled.toLocaleString()}</p>
          <p class="dim">
            since <Time at={usage.since} />
            {latency.recall.p50 !== null && `, p50 ${Math.round(latency.recall.p50)} ms`}
          </p>
          {telemetry.enabled ? (
            <HitRate results={telemetry.events.map(({ properties }) => String(properties.result))} />
          ) : (
            <p class="dim">
              No hit rate because telemetry is off. Turn it on: <code>memory telemetry on</code>
            </p>
          )}
        </>
      )}
    </Card>
  )
}

function HitRate({ results }: { results: readonly string[] }) {
  const found = results.filter(result => ['non_empty', 'truncated'].includes(result)).length
  if (results.length === 0) return <p class="dim">No recalls in the last 7 days.</p>
  const share = Math.round((100 * found) / results.length)
  return (
    <p>
      Hit rate <strong>{share} %</strong> of {results.length === maxEvents ? 'the newest ' : ''}
      {countText(results.length, 'recall')} in the last 7 days
    </p>
  )
}
