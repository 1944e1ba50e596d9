import { useRef } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { type NameOfProject, useProjectNames } from '../api/project-names.js'
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
  const texts = useTexts(latest)
  const changed = texts.map(({ change, memory }) => ({ at: change.at, change, memory }))
  const used = asked.value?.activity.map(item => ({ at: item.at, item })) ?? []
  const all = [...changed, ...used].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, shown)
  const isLoading = !latest || (latest.length > 0 && texts.length === 0) || (!asked.value && !asked.error)
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
        <p class="dim">Nothing yet. Here you see live how agents use the memory.</p>
      )}
      <ul class="plain-list lined feed">
        {all.map(entry =>
          'change' in entry ? (
            <ChangeItem
              key={`${entry.change.id} ${entry.change.kind} ${entry.at}`}
              change={entry.change}
              memory={entry.memory}
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
  const when = surface === 'start' ? 'at the start of a session' : 'with a prompt'
  return (
    <li>
      <span class={`tag ${kind}`}>{kind}</span>
      <div>
        <a class="quiet words" href={addressOf('sessions', [sessionKey])}>
          {kind === 'asked' ? `“${question}”` : `${countText(count, 'item')} ${when}`}
        </a>{' '}
        <span class="meta">
          <span>{kind === 'asked' ? `${count} found` : countText(tokens, 'token')}</span>
          <span>{harness && labelOf('harness', harness)}</span>
          <span>{nameOf(project)}</span>
        </span>
      </div>
      <Time at={at} />
    </li>
  )
}

type Memory = Reply<'GET /api/memory/:id'>

interface ChangeWithText {
  change: Change
  /** Undefined for a forgotten one. */
  memory: Memory | undefined
}

/**
 * Changes with the current texts of their memories, which the events do not have. A change appears together
 * with its text, so that no line grows afterwards.
 */
function useTexts(latest: readonly Change[] | undefined): readonly ChangeWithText[] {
  const known = useRef<ReadonlyMap<string, Memory>>(new Map())
  const loaded = useLoaded(
    async signal => {
      const all = await Promise.all(
        (latest ?? []).map(async change => ({ change, memory: await textOf(change, known.current, signal) })),
      )
      known.current = new Map(all.flatMap(({ change, memory }) => (memory ? [[keyOf(change), memory]] : [])))
      return all
    },
    [latest],
  )
  return loaded.value ?? []
}

function keyOf({ id, at }: Change): string {
  return `${id} ${at}`
}

/** @returns undefined for a memory that is forgotten */
async function textOf(
  change: Change,
  known: ReadonlyMap<string, Memory>,
  signal: AbortSignal,
): Promise<Memory | undefined> {
  if (change.kind === 'forgotten') return undefined
  const request = { params: { id: change.id } }
  return known.get(keyOf(change)) ?? call('GET /api/memory/:id', request, { signal }).catch(() => undefined)
}

interface ChangeItemProps extends ChangeWithText {
  nameOf: NameOfProject
}

/** A change of one memory. One of another project is left out. */
function ChangeItem({ change: { kind, id, at }, memory, nameOf }: ChangeItemProps) {
  const project = chosenProject.value
  if (project !== undefined && memory?.project !== project) return null
  return (
    <li>
      <span class={`tag ${tones[kind] ?? ''}`}>{words[kind]}</span>
      <div>
        {memory ? (
          <a class="quiet words" href={addressOf('memories', [id])}>
            {memory.content.slice(0, maxContent)}
          </a>
        ) : (
          <span class="dim">(forgotten memory)</span>
        )}{' '}
        {memory && (
          <span class="meta">
            <span>{labelOf('memoryType', memory.type)}</span>
            <span>{memory.who && labelOf('harness', memory.who)}</span>
            <span>{nameOf(memory.project)}</span>
          </span>
        )}
      </div>
      <Time at={at} />
    </li>
  )
}
