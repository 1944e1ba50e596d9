import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { type NameOfProject, useProjectNames } from '../api/project-names.js'
import { Command } from '../parts/command.js'
import { countText } from '../parts/count-text.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import type { Change, Changes } from './changes.js'

type Activity = Reply<'GET /api/sessions/activity'>['activity'][number]

const words = {
  remembered: 'saved',
  modified: 'changed',
  superseded: 'replaced',
  forgotten: 'forgotten',
  recovered: 'recovered',
} as const satisfies Record<Change['kind'], string>
const tones: Readonly<Partial<Record<Change['kind'], string>>> = {
  remembered: 'good',
  superseded: 'warn',
  forgotten: 'bad',
}
const maxContent = 200
const shown = 16

/** Live: what agents asked and were given, and what was saved, changed and forgotten, newest first. */
export function Feed({ latest, activity, isLost }: Changes) {
  const project = chosenProject.value
  const nameOf = useProjectNames()
  const asked = useLoaded(
    signal => call('GET /api/sessions/activity', { query: { project, limit: shown } }, { signal }),
    [project, activity],
  )
  const changed = latest?.map(change => ({ at: change.at, change })) ?? []
  const used = asked.value?.activity.map(item => ({ at: item.at, item })) ?? []
  const all = [...changed, ...used].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, shown)
  const isLoading = !latest || (!asked.value && !asked.error)
  return (
    <section class="card" aria-label="What happens">
      <h2>What happens</h2>
      {isLost && (
        <p class="warn" role="status">
          Connection lost. Reconnecting; missed changes are loaded then.
        </p>
      )}
      {isLoading && !isLost && <Loading />}
      {!isLoading && all.length === 0 && (
        <p class="dim">
          Nothing yet. Connected agents and you save memories: <Command text="memory connect" />
        </p>
      )}
      <ul class="plain-list lined feed">
        {all.map(entry =>
          'change' in entry ? (
            <ChangeItem
              key={`${entry.change.id} ${entry.change.kind} ${entry.at}`}
              change={entry.change}
              nameOf={nameOf}
            />
          ) : (
            <ActivityItem key={entry.item.id} item={entry.item} nameOf={nameOf} />
          ),
        )}
      </ul>
    </section>
  )
}

function ActivityItem({ item, nameOf }: { item: Activity; nameOf: NameOfProject }) {
  const { kind, sessionKey, harness, project, at, question, surface, count, tokens } = item
  const what = surface === 'start' ? 'the start of a session' : 'a prompt'
  return (
    <li>
      <span class="tag">{kind}</span>{' '}
      <a class="quiet words" href={addressOf('sessions', [sessionKey])}>
        {kind === 'asked'
          ? `“${question}”`
          : `${countText(count, 'thing')} in ${countText(tokens, 'token')} at ${what}`}
      </a>{' '}
      <span class="dim">
        {kind === 'asked' && `found ${count}, `}
        {[harness && labelOf('harness', harness), nameOf(project)].filter(Boolean).join(' in ')}{' '}
        <Time at={at} />
      </span>
    </li>
  )
}

/** The event has no text, so the memory's current text is loaded. A memory of another project is left out. */
function ChangeItem({ change, nameOf }: { change: Change; nameOf: NameOfProject }) {
  const { kind, id, at } = change
  const { value, error } = useLoaded(
    signal =>
      kind === 'forgotten' ? undefined : call('GET /api/memory/:id', { params: { id } }, { signal }),
    [id, kind, at],
  )
  const isGone = kind === 'forgotten' || error?.status === 404
  const project = chosenProject.value
  if (project !== undefined && (isGone || (value && value.project !== project))) return null
  return (
    <li>
      <span class={`tag ${tones[kind] ?? ''}`}>{words[kind]}</span>{' '}
      {isGone ? (
        <span class="dim">(forgotten memory)</span>
      ) : (
        <a class="quiet words" href={addressOf('memories', [id])}>
          {value?.content.slice(0, maxContent) ?? '…'}
        </a>
      )}{' '}
      <span class="dim">
        {value && `${labelOf('memoryType', value.type)}, `}
        {value &&
          [value.who && labelOf('harness', value.who), nameOf(value.project)]
            .filter(Boolean)
            .join(' in ')}{' '}
        <Time at={at} />
      </span>
    </li>
  )
}
