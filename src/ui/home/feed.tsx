import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { listen } from '../api/events.js'
import { useLoaded } from '../api/loaded.js'
import { chosenProject, type NameOfProject, useProjectNames } from '../api/projects.js'
import { Loading } from '../parts/placeholders.js'
import { countText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

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

type Event = Reply<'GET /api/memories/stream'>
type Change = Extract<Event, { type: 'changed' }>

interface Changes {
  /** Newest first; undefined until the first reply. */
  latest: readonly Change[] | undefined
  /** Increased by every change while the page is open. */
  count: number
  /** Increased when sessions ask something or are given a context, and by a new connection. */
  activity: number
  isLost: boolean
}

const newestShown = 12

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

/** Follows changes of memories live. A restored connection begins with the latest ones. */
export function useChanges(): Changes {
  const [{ latest, count, activity }, setState] = useState<Omit<Changes, 'isLost'>>({
    latest: undefined,
    count: 0,
    activity: 0,
  })
  const [isLost, setLost] = useState(false)
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round connects again
  useEffect(() => {
    const left = new AbortController()
    /** Number of earlier changes still to come on this connection, and the number of connections so far. */
    const before = { left: 0, times: 0 }
    const onEvent = (data: unknown) => {
      const event = data as Event
      if (event.type === 'dropped') setRound(now => now + 1)
      else if (event.type === 'activity') setState(state => ({ ...state, activity: state.activity + 1 }))
      else if (event.type === 'connected') {
        Object.assign(before, { left: event.last, times: before.times + 1 })
        // Changes during a lost connection count as one.
        const missed = before.times > 1 ? 1 : 0
        setState(state => ({ latest: [], count: state.count + missed, activity: state.activity + missed }))
      } else {
        const isLive = before.left === 0
        if (!isLive) before.left--
        setState(state => ({
          ...state,
          latest: [event, ...(state.latest ?? [])].slice(0, newestShown),
          count: state.count + (isLive ? 1 : 0),
        }))
      }
    }
    const handlers = { onEvent, onState: (state: string) => setLost(state === 'lost') }
    void listen('GET /api/memories/stream', { query: { last: newestShown } }, handlers, left.signal)
    return () => left.abort()
  }, [round])
  return { latest, count, activity, isLost }
}
