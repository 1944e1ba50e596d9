import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import type { HealthFigure } from '../../contract/operations/diagnostics-domains.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { chosenProject, useProjectNames } from '../api/projects.js'
import { may } from '../api/session.js'
import { ConnectAgents, ImportSessions } from '../frame/connect-agents.js'
import { openPalette } from '../parts/palette-state.js'
import { useDebounced, useInterval } from '../parts/use-interval.js'
import { Command, countText, healthTones, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { Feed, useChanges } from './feed.js'
import { Card, Figures } from './figures.js'
import { otherTypes, stackedWeeks } from './stacked-weeks.js'

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

/** The first steps, until all are done. @param changed increased by changes */
function FirstRun({ changed }: { changed: number }) {
  const areDone = useRef(false)
  const { value } = useLoaded(signal => (areDone.current ? undefined : stepsTaken(signal)), [changed])
  if (value && Object.values(value).every(Boolean)) areDone.current = true
  if (!value || areDone.current || chosenProject.value !== undefined) return null
  return (
    <section class="card" aria-label="First steps">
      <h2>First steps</h2>
      <ol class="steps">
        <Step isDone={value.isSaved}>
          Save what an agent should know.{' '}
          {may('remember') && (
            <button type="button" onClick={() => openPalette()}>
              Save a memory…
            </button>
          )}
        </Step>
        <Step isDone={value.hasSession}>
          Connect your coding agents, and import what they did before. <ConnectAgents /> <ImportSessions />
        </Step>
        <Step isDone={value.isGiven}>
          Start one in a project. What it is given and asks appears below; <a href="#/preview">Preview</a>{' '}
          shows it before.
        </Step>
      </ol>
    </section>
  )
}

async function stepsTaken(signal: AbortSignal) {
  const [counts, sessions, activity] = await Promise.all([
    call('GET /api/memories/counts', {}, { signal }),
    call('GET /api/sessions', { query: { past: true, limit: 1 } }, { signal }),
    call('GET /api/sessions/activity', { query: { limit: 1 } }, { signal }),
  ])
  return { isSaved: counts.total > 0, hasSession: sessions.count > 0, isGiven: activity.count > 0 }
}

function Step({ isDone, children }: { isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : undefined}>
      <span class={isDone ? 'good' : 'dim'}>{isDone ? '✓ ' : '○ '}</span>
      <span class="unseen">{isDone ? 'done: ' : 'to do: '}</span>
      {children}
    </li>
  )
}

/** The figure of health with its warnings, and what waits for a person. */
function Health() {
  const loaded = useLoaded(signal => call('GET /api/status', {}, { signal }), [])
  return (
    <Card title="Health" loaded={loaded}>
      {({ health, version, startedAt, workspace, storage }) => (
        <>
          <p class={`figure ${healthTones[health.status]}`}>
            <a class="quiet" href={addressOf('operations', ['diagnostics'])}>
              {health.status}, {Math.round(100 * health.score)} %
            </a>
          </p>
          {(health.waiting?.items.length ?? 0) > 0 && <p class="dim">Waits for you:</p>}
          <ul class="plain-list lined">
            {health.waiting?.items.map(({ kind, text, page: [page = '', ...rest] }) => (
              <li key={kind}>
                <a href={addressOf(page, rest)}>{text}</a>
              </li>
            ))}
            {health.warnings.map(warning => (
              <Warning key={`${warning.domain} ${warning.id} ${warning.evidence}`} warning={warning} />
            ))}
          </ul>
          <p class="dim">
            Version {version}, started <Time at={startedAt} />
            <br />
            <code class="words">{workspace}</code>
            {storage.server && `, memories in ${storage.server}`}
          </p>
        </>
      )}
    </Card>
  )
}

/** A warning with its remedy: a button that opens the repair, or one that copies the command. */
function Warning({ warning: { domain, severity, evidence, fix, repair } }: WarningProps) {
  return (
    <li>
      <span class={severity === 'error' ? 'bad' : 'warn'}>
        {labelOf('domain', domain)}: {evidence}
      </span>{' '}
      {repair && may('admin') ? (
        <button
          type="button"
          class="plain"
          onClick={() => navigate(addressOf('operations', ['repair', repair]))}
        >
          Repair…
        </button>
      ) : (
        fix && <Command text={fix} />
      )}
    </li>
  )
}

interface WarningProps {
  warning: HealthFigure['warnings'][number]
}

type Counts = Reply<'GET /api/memories/counts'>

/** The number of memories by type, and of new ones by week. @param changed increased by changes */
function MemoriesByType({ changed }: { changed: number }) {
  const project = chosenProject.value
  const loaded = useLoaded(
    signal => call('GET /api/memories/counts', { query: { project } }, { signal }),
    [changed, project],
  )
  return (
    <Card title="Memories" loaded={loaded} isBroad>
      {({ total, by, weeks }) => (
        <>
          <p class="figure">
            <a class="quiet" href={addressOf('memories')}>
              {total.toLocaleString()}
            </a>
          </p>
          <ul class="line bare">
            {by.type.values.map(({ value, count }) => (
              <li key={value}>
                <a class="tag" href={addressOf('memories', [], { type: value })}>
                  {labelOf('memoryType', value)} {count.toLocaleString()}
                </a>
              </li>
            ))}
          </ul>
          {weeks.length > 1 && <Weeks weeks={weeks} />}
        </>
      )}
    </Card>
  )
}

/** Memories saved each week by type; the chart's code is loaded on demand. */
function Weeks({ weeks }: { weeks: Counts['weeks'] }) {
  const box = useRef<HTMLDivElement>(null)
  const stacks = useMemo(() => stackedWeeks(weeks), [weeks])
  useEffect(() => {
    const shown: { chart?: { destroy(): void } } = {}
    const left = new AbortController()
    import('./weeks-chart.js').then(({ weeksChart }) => {
      if (box.current && !left.signal.aborted) shown.chart = weeksChart(box.current, weeks, stacks)
    })
    return () => {
      left.abort()
      shown.chart?.destroy()
    }
  }, [weeks, stacks])
  const last = weeks.at(-1)
  const saved = Object.values(last?.types ?? {}).reduce((sum, count) => sum + count, 0)
  const caption = `Memories saved each week since ${weeks[0]?.week}; ${saved} in the week of ${last?.week}`
  return (
    <figure>
      <div ref={box} class="chart" role="img" aria-label={caption} />
      <figcaption class="dim line">
        Saved each week:
        {stacks.map(({ type, share }) => (
          <span key={type} class="swatch" style={{ '--share': `${100 * share}%` }}>
            {type === otherTypes ? 'other types' : labelOf('memoryType', type)}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
