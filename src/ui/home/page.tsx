import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { useEvery, useLater } from '../parts/every.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { Card } from './card.js'
import { useChanges } from './changes.js'
import { Health } from './health.js'
import { LatestChanges } from './latest-changes.js'
import { MemoriesByType } from './memories-by-type.js'
import { Recalls } from './recalls.js'

/** Figures are counted anew when changes have come to rest for so long. */
const settleMs = 2000

/** How everything does, at a glance. */
export default function Home() {
  const changes = useChanges()
  const changed = useLater(changes.count, settleMs)
  return (
    <>
      <h1>Home</h1>
      <div class="cards">
        {may('diagnostics') && <Health />}
        {may('analytics') && <Recalls />}
        {may('analytics') && <Injected />}
        <LiveSessions />
        <MemoriesByType changed={changed} />
        <LatestChanges {...changes} />
      </div>
    </>
  )
}

const everyMs = 15_000

/** What agents were given for their context today. */
function Injected() {
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

const sessionsEveryMs = 10_000

function LiveSessions() {
  const loaded = useLoaded(
    signal => call('GET /api/sessions', { query: { limit: 8 } }, { signal }),
    [useEvery(sessionsEveryMs)],
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
