import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useEvery } from '../parts/every.js'
import { Time } from '../parts/time.js'
import { Card } from './card.js'

const everyMs = 15_000

/** What agents were given for their context today. */
export function Injected() {
  const loaded = useLoaded(signal => call('GET /api/analytics/usage', {}, { signal }), [useEvery(everyMs)])
  return (
    <Card title="Given to agents today" loaded={loaded}>
      {({ injected: { today } }) => (
        <>
          <p class="figure">
            {today.byHarness.reduce((sum, { tokens }) => sum + tokens, 0).toLocaleString()} tokens
          </p>
          <p class="dim">
            about, since <Time at={today.since} />
          </p>
          {today.byHarness.length === 0 ? (
            <p class="dim">
              No session was given anything yet. <code>memory connect</code> lets agents ask.
            </p>
          ) : (
            <ul class="plain-list lined">
              {today.byHarness.map(({ harness, tokens, starts, prompts }) => (
                <li key={harness}>
                  <strong>{harness}</strong> {tokens.toLocaleString()}{' '}
                  <span class="dim">
                    at {countOf(starts, 'start')} and {countOf(prompts, 'prompt')}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Card>
  )
}
