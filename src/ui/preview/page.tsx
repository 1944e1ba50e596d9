import type { Reply } from '../../contract/api.js'
import type { PreviewEvent, PreviewHarness } from '../../contract/sessions/harness-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { namesOf } from '../../lib/text/names.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { chosenProject } from '../api/projects.js'
import { Field, Select } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { useDebounced } from '../parts/use-interval.js'
import { addressOf } from '../routing/place.js'
import { type PageProps, replace } from '../routing/router.js'
import './preview.css'
import { countOf } from '../../lib/text/count-of.js'
import { shortId } from '../../lib/text/uuid.js'
import { Time } from '../parts/values.js'

const events: Readonly<Record<PreviewEvent, string>> = {
  start: 'Session start',
  prompt: 'Prompt',
  subagent: 'Sub-agent',
}
const names: readonly PreviewHarness[] = ['claude-code', 'codex', 'opencode', 'gemini', 'cursor', 'copilot']
const harnesses = Object.fromEntries(names.map(name => [name, labelOf('harness', name)]))
const settleMs = 300
/** In the address: memories of no project. */
const none = '-'

type Preview = Reply<'POST /api/sessions/preview'>
type Part = Preview['parts'][number]

/** Shares of the budget from which the meter warns. */
const nearlyFull = 0.95

/** Shows exactly what an agent would be given in a project, and why. */
export default function PreviewPage({ place }: PageProps) {
  const { harness = 'claude-code', prompt = '', event: named = '' } = place.query
  const event = named in events ? (named as PreviewEvent) : 'start'
  const asked = useDebounced(prompt, settleMs)
  const projects = useLoaded(signal => call('GET /api/projects', {}, { signal }), [])
  const listed = projects.value?.projects ?? []
  const shownNames = namesOf(listed)
  const known = listed.map(({ key, name }) => [key, shownNames.get(key) ?? name] as const)
  const project = place.query.project ?? chosenProject.value ?? known[0]?.[0] ?? none
  const show = (change: Readonly<Record<string, string>>) =>
    replace(addressOf('preview', [], { harness, project, event, prompt, ...change }))
  const body = {
    harness: harness as PreviewHarness,
    event,
    ...(project !== none && { project }),
    ...(event === 'prompt' ? { prompt: asked } : { diff: event === 'start' }),
  }
  const loaded = useLoaded(
    signal => (projects.value ? call('POST /api/sessions/preview', { body }, { signal }) : undefined),
    [projects.value, JSON.stringify(body), changes.value],
  )
  const shown = loaded.value
  return (
    <>
      <h1>Preview</h1>
      <p class="dim">Exactly what an agent would be given, before it happens. Nothing is recorded.</p>
      <div class="preview-fields">
        <Select
          label="Agent"
          value={harness}
          options={harnesses}
          onChoose={chosen => show({ harness: chosen })}
        />
        <Select
          label="Project"
          value={project}
          options={{ [project]: project, ...Object.fromEntries(known), [none]: 'No project' }}
          onChoose={chosen => show({ project: chosen })}
        />
        <Select label="Moment" value={event} options={events} onChoose={chosen => show({ event: chosen })} />
      </div>
      {event === 'prompt' && (
        <Field label="Prompt" value={prompt} rows={2} onInput={text => show({ prompt: text })} />
      )}
      {projects.error && <Failure error={projects.error} retry={projects.reload} />}
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!shown && !loaded.error && !projects.error && <Loading />}
      {shown && <Outcome preview={shown} />}
    </>
  )
}

function Outcome({ preview }: { preview: Reply<'POST /api/sessions/preview'> }) {
  const { text, note, parts, groups, difference } = preview
  return (
    <>
      {text === '' ? (
        <Empty title="The agent gets nothing">{note && <p>{note}.</p>}</Empty>
      ) : (
        <>
          <TokenMeter preview={preview} />
          {note && <p class="warn">{note}.</p>}
          <PreviewText parts={parts} />
        </>
      )}
      <LeftOut groups={groups} />
      {difference !== undefined && <Difference difference={difference} />}
    </>
  )
}

type Changed = NonNullable<Preview['difference']>['added'][number]

/** Tokens of the text against the budget. */
function TokenMeter({ preview: { tokens, maxTokens, event } }: { preview: Preview }) {
  const words =
    event === 'prompt'
      ? `${countOf(tokens, 'token')}, facts at most ${maxTokens.toLocaleString()}`
      : `${tokens.toLocaleString()} of ${maxTokens.toLocaleString()} tokens`
  return (
    <p class="token-meter">
      <meter
        aria-label="Tokens used"
        min={0}
        max={Math.max(1, maxTokens)}
        high={nearlyFull * maxTokens}
        value={Math.min(tokens, maxTokens)}
      />
      <strong>{words}</strong>
    </p>
  )
}

/** The text, with the reason beside each part. */
function PreviewText({ parts }: { parts: readonly Part[] }) {
  return (
    <section class="card preview-text" aria-label="Text">
      <ol class="bare">
        {parts.map(part => (
          <li key={part.record?.id ?? part.text} class={`part of-${part.record?.place ?? part.kind}`}>
            <Reason part={part} />
            <pre>{part.text.trimEnd()}</pre>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Reason({ part: { why, record, tokens } }: { part: Part }) {
  const address = record && addressOfRecord(record.place, record.id)
  return (
    <span class="why" title={countOf(tokens, 'token')}>
      {address ? (
        <a class="quiet" href={address}>
          {why}
        </a>
      ) : (
        <span>{why}</span>
      )}
      {record?.score !== undefined && <span class="dim">{record.score.toFixed(2)}</span>}
    </span>
  )
}

function addressOfRecord(place: string, id: string): string | undefined {
  if (place === 'entity') return addressOf('knowledge', ['entity', id])
  return place === 'session' || place === 'message' ? undefined : addressOf('memories', [id])
}

/** Records that have no place in the text, by kind, with the reason. */
function LeftOut({ groups }: Pick<Preview, 'groups'>) {
  const some = groups.filter(({ notShown }) => notShown > 0)
  if (some.length === 0) return null
  return (
    <section class="stack" aria-label="Left out">
      <h2>Left out</h2>
      {some.map(({ place, shown, notShown, atLeast, first }) => (
        <div key={place} class="card part-group">
          <h3>
            {labelOf('previewPlace', place)}{' '}
            <span class="dim">
              {atLeast && 'at least '}
              {notShown.toLocaleString()} left out, {shown.toLocaleString()} shown
            </span>
          </h3>
          <ul class="plain-list lined">
            {first.map(({ id, text, type, score, pinned, reason, alikeTo }) => (
              <li key={id} class="left-out">
                <span class="dim">{score?.toFixed(2)}</span>
                <RecordText place={place} id={id} text={text} />
                <span class="dim">{[pinned && 'pinned', type].filter(Boolean).join(' ')}</span>
                <span class="warn">
                  {reason === 'alike' && alikeTo
                    ? `same as ${shortId(alikeTo)}`
                    : labelOf('displaced', reason)}
                </span>
              </li>
            ))}
          </ul>
          {notShown > first.length && first.length > 0 && (
            <p class="dim">… and {(notShown - first.length).toLocaleString()} more</p>
          )}
        </div>
      ))}
    </section>
  )
}

function RecordText({ place, id, text }: { place: string; id: string; text: string }) {
  const address = addressOfRecord(place, id)
  const words = text || `(hidden, ${shortId(id)})`
  return address ? (
    <a class="quiet clip" href={address}>
      {words}
    </a>
  ) : (
    <span class="clip">{words}</span>
  )
}

/** The changes since the last start of a session of the project. */
function Difference({ difference }: { difference: Preview['difference'] }) {
  return (
    <section class="stack" aria-label="Since the last start">
      <h2>Since the last start</h2>
      {!difference && <Empty title="No start of a session is recorded in this project yet" />}
      {difference && (
        <>
          <p>
            <a href={addressOf('sessions', [difference.sessionKey])}>
              {difference.harness ? labelOf('harness', difference.harness) : 'Session'}
            </a>{' '}
            <Time at={difference.at} />: <strong class="good">{difference.added.length} new</strong>,{' '}
            <strong class="bad">{difference.removed.length} gone</strong>, {difference.same} the same
          </p>
          <ul class="plain-list lined">
            {difference.added.map(one => (
              <ChangedRow key={one.id} sign="+" tone="good" changed={one} />
            ))}
            {difference.removed.map(one => (
              <ChangedRow key={one.id} sign="−" tone="bad" changed={one} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function ChangedRow({ sign, tone, changed }: { sign: string; tone: string; changed: Changed }) {
  const { id, kind, text, why } = changed
  return (
    <li class="changed">
      <strong class={tone}>{sign}</strong>
      <span class="dim">{why}</span>
      <RecordText place={kind} id={id} text={text.replace(/^- /u, '')} />
    </li>
  )
}
