import type { Reply } from '../../contract/api.js'
import type { PreviewEvent, PreviewHarness } from '../../contract/sessions/harness-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { namesOf } from '../api/names-by-key.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { Field, Select } from '../parts/fields/field.js'
import { Loading } from '../parts/loading.js'
import { useDebounced } from '../parts/use-interval.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'
import { Difference, LeftOut, PreviewText, TokenMeter } from './preview.js'
import './preview.css'

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
