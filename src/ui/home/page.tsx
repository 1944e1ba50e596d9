import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/project-names.js'
import { may } from '../api/session.js'
import { countText } from '../parts/count-text.js'
import { Time } from '../parts/time.js'
import { useDebounced, useInterval } from '../parts/use-interval.js'
import { addressOf } from '../routing/place.js'
import { Card } from './card.js'
import { useChanges } from './changes.js'
import { Feed } from './feed.js'
import { Figures } from './figures.js'
import { FirstRun } from './first-run.js'
import { Health } from './health.js'
import { MemoriesByType } from './memories-by-type.js'

/** Figures are reloaded after this time without a change. */
const settleMs = 2000

/** Overview of the whole system. */
export default function Home() {
  const changes = useChanges()
  const changed = useDebounced(changes.count, settleMs)
  return (
    <>
      <h1>Home</h1>
      <FirstRun changed={changed} />
      {may('analytics') && <Figures changed={changed + changes.activity} />}
      <div class="home">
        <Feed {...changes} />
        <div class="stack">
          {may('diagnostics') && <Health />}
          {may('analytics') && <InjectedToday />}
          <LiveSessions />
        </div>
      </div>
      <MemoriesByType changed={changed} />
    </>
  )
}

const everyMs = 15_000

/** Estimated tokens of the context sent to agents today. */
function InjectedToday() {
  const loaded = useLoaded(signal => call('GET /api/analytics/usage', {}, { signal }), [useInterval(everyMs)])
  return (
    <Card title="Context sent to agents today" loaded={loaded}>
      {({ injected: { today } }) => (
        <>
          <p class="figure">
            {today.byHarness.reduce((sum, { tokens }) => sum + tokens, 0).toLocaleString()} tokens
          </p>
          <p class="dim">
            estimated, since <Time at={today.since} />
          </p>
          {today.byHarness.length === 0 ? (
            <p class="dim">Nothing sent yet.</p>
          ) : (
            <ul class="plain-list lined">
              {today.byHarness.map(({ harness, tokens, starts, prompts }) => (
                <li key={harness}>
                  <span class="ends">
                    <strong>{labelOf('harness', harness)}</strong> <span>{countText(tokens, 'token')}</span>
                  </span>
                  <span class="meta">
                    <span>{countText(starts, 'session start')}</span>
                    <span>{countText(prompts, 'prompt')}</span>
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
  const nameOf = useProjectNames()
  const project = chosenProject.value
  const loaded = useLoaded(
    signal => call('GET /api/sessions', { query: { project, limit: 8 } }, { signal }),
    [useInterval(sessionsEveryMs), project],
  )
  return (
    <Card title="Active sessions" loaded={loaded}>
      {({ sessions }) =>
        sessions.length === 0 ? (
          <p class="dim">No active sessions.</p>
        ) : (
          <ul class="plain-list lined">
            {sessions.map(({ key, harness, project, seenAt, prompts, title }) => (
              <li key={key}>
                <a class="words" href={addressOf('sessions', [key])}>
                  {title ?? labelOf('harness', harness)}
                </a>
                <br />
                <span class="meta">
                  <span>{nameOf(project) || 'no project'}</span>
                  <span>{countText(prompts, 'prompt')}</span>
                  <Time at={seenAt} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Card>
  )
}
