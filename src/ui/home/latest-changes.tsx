import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import type { Change, Changes } from './changes.js'

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
export function LatestChanges({ latest, isLost }: Changes) {
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
