import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/project-names.js'
import { may } from '../api/session.js'
import { countText } from '../parts/count-text.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { useDebounced, useInterval } from '../parts/use-interval.js'
import { addressOf } from '../routing/place.js'
import { Card } from './card.js'
import { type Change, type Changes, useChanges } from './changes.js'
import { Health } from './health.js'
import { MemoriesByType } from './memories-by-type.js'

const words = {
  remembered: 'saved',
  modified: 'changed',
  superseded: 'replaced',
  forgotten: 'forgotten',
  recovered: 'recovered',
} as const satisfies Record<Change['kind'], string>
const tones: Readonly<Partial<Record<Change['kind'], string>>> = { superseded: 'warn', forgotten: 'bad' }
const maxContent = 200

/** The latest changes of memories, live. */
function LatestChanges({ latest, isLost }: Changes) {
  return (
    <section class="card broad" aria-label="Latest changes">
      <h2>Latest changes</h2>
      {isLost && (
        <p class="warn" role="status">
          Connection lost. Reconnecting; missed changes are loaded then.
        </p>
      )}
      {!latest && !isLost && <Loading />}
      {latest?.length === 0 && (
        <p class="dim">
          No memories yet. Save the first one: <code>memory remember "We deploy on Tuesdays"</code>
        </p>
      )}
      <ul class="plain-list lined">
        {latest?.map(change => (
          <ChangeItem key={`${change.id} ${change.kind} ${change.at}`} {...change} />
        ))}
      </ul>
    </section>
  )
}

/** The event has no text, so the memory's current text is loaded. */
function ChangeItem({ kind, id, at }: Change) {
  const { value, error } = useLoaded(
    signal =>
      kind === 'forgotten' ? undefined : call('GET /api/memory/:id', { params: { id } }, { signal }),
    [id, kind, at],
  )
  const isGone = kind === 'forgotten' || error?.status === 404
  return (
    <li>
      <span class={`tag ${tones[kind] ?? ''}`}>{words[kind]}</span>{' '}
      {isGone ? (
        <span class="dim">(forgotten memory)</span>
      ) : (
        <a class="quiet words" href={addressOf('memories', [id])}>
          {value?.content.slice(0, maxContent) ?? id}
        </a>
      )}{' '}
      <span class="dim">
        {value && `${labelOf('memoryType', value.type)}${value.who ? `, ${value.who}` : ''}, `}
        <Time at={at} />
      </span>
    </li>
  )
}

/** Figures are reloaded after this time without a change. */
const settleMs = 2000

/** Overview of the whole system. */
export default function Home() {
  const changes = useChanges()
  const changed = useDebounced(changes.count, settleMs)
  return (
    <>
      <h1>Home</h1>
      <div class="cards">
        {may('diagnostics') && <Health />}
        {may('analytics') && <Recalls />}
        {may('analytics') && <InjectedToday />}
        <LiveSessions />
        <MemoriesByType changed={changed} />
        <LatestChanges {...changes} />
      </div>
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
            <p class="dim">
              Nothing sent yet. Connect a coding agent with <code>memory connect</code>.
            </p>
          ) : (
            <ul class="plain-list lined">
              {today.byHarness.map(({ harness, tokens, starts, prompts }) => (
                <li key={harness}>
                  <strong>{labelOf('harness', harness)}</strong> {countText(tokens, 'token')}{' '}
                  <span class="dim">
                    {countText(starts, 'session start')}, {countText(prompts, 'prompt')}
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
  const loaded = useLoaded(
    signal => call('GET /api/sessions', { query: { limit: 8 } }, { signal }),
    [useInterval(sessionsEveryMs)],
  )
  return (
    <Card title="Active sessions" loaded={loaded}>
      {({ sessions }) =>
        sessions.length === 0 ? (
          <p class="dim">
            No active sessions. Connect a coding agent with <code>memory connect</code>.
          </p>
        ) : (
          <ul class="plain-list lined">
            {sessions.map(({ key, harness, project, seenAt, prompts, title }) => (
              <li key={key}>
                <a href={addressOf('sessions', [key])}>{title ?? labelOf('harness', harness)}</a>,{' '}
                {countText(prompts, 'prompt')}{' '}
                <span class="dim">
                  <Time at={seenAt} />
                </span>
                <br />
                <span class="dim">{nameOf(project) || 'no project'}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Card>
  )
}

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
