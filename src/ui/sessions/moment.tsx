import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { foundByLabel, leftOutWords } from '../../lib/text/labels.js'
import { Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>
type Event = BlackBox['events'][number]
type ReceivedItem = NonNullable<Event['payload']['given']>[number]

interface MomentProps {
  event: Event
  /** Beginnings of memories and names of entities by id, as far as the user may see them. */
  names: BlackBox['names']
}

/** An event of a session: its request, or the memories it received and why. */
export function Moment({ event: { kind, at, title, detail, refs, payload }, names }: MomentProps) {
  const { given = [], tokens, missed } = payload
  // Writes and older events have only ids.
  const things = given.length > 0 ? given : refs.map(id => ({ id, kind: 'memory' as const }))
  return (
    <li class={kind === 'recall.requested' ? 'asked' : ''}>
      <span class="line">
        <strong>{title}</strong>
        {tokens !== undefined && <span class="dim">{countOf(tokens, 'token')}</span>}
        <Time at={at} />
      </span>
      {detail && (
        <p class="words">
          {detail}{' '}
          {kind === 'recall.requested' && (
            <a class="dim" href={addressOf('recall', [], { q: detail })}>
              Open in Recall lab
            </a>
          )}
        </p>
      )}
      {missed && (
        <p class="warn">
          {missed === 'late'
            ? 'The entity lookup took too long, so no facts were added.'
            : 'The entity lookup failed; see the log.'}
        </p>
      )}
      <ol class="plain-list">
        {things.map(one => (
          <ReceivedItemRow key={`${one.kind} ${one.id}`} given={one} name={names[one.id]} />
        ))}
      </ol>
      <OmittedCounts payload={payload} />
      <Formula payload={payload} />
      {Object.keys(payload).length > 0 && (
        <details>
          <summary class="dim">Raw data</summary>
          <pre>{JSON.stringify(payload, undefined, 2)}</pre>
        </details>
      )}
    </li>
  )
}

interface ReceivedItemRowProps {
  given: Pick<ReceivedItem, 'id' | 'kind'> & Partial<ReceivedItem>
  name: string | undefined
}

interface NoteProps extends MomentProps {
  /** The turn beside which it is shown; a question that repeats it is left out. */
  said: string
}

const namedInNote = 3

/** An event beside a turn, in few words. The log of events has the rest. */
export function Note({ event: { kind, at, title, detail, refs, payload }, names, said }: NoteProps) {
  const [isWhole, setWhole] = useState(false)
  const things: NotedItem[] = payload.given ?? refs.map(id => ({ id, kind: 'memory' }))
  const isRepeated = kind === 'recall.requested' && said.includes(detail.slice(0, comparedLength))
  if (isRepeated || (kind === 'recall.result' && things.length === 0)) return null
  const shown = isWhole ? things : things.slice(0, namedInNote)
  return (
    <li class={`note ${kind === 'assertion.created' ? 'saved' : ''}`}>
      <span class="line">
        <strong>{noteTitle(kind, payload) ?? title}</strong>
        <span class="dim">{payload.tokens !== undefined && countOf(payload.tokens, 'token')}</span>
        <span class="dim">
          <Time at={at} />
        </span>
      </span>
      {kind === 'recall.requested' && <p class="words">{detail}</p>}
      <ul class="plain-list">
        {shown.map(one => (
          <li key={`${one.kind} ${one.id}`} class="note-item">
            <ItemLink kind={one.kind} id={one.id} name={names[one.id]} />
            {one.by && <span class="dim"> {foundByLabel(one.by)}</span>}
          </li>
        ))}
      </ul>
      {shown.length < things.length && (
        <p>
          <button type="button" class="plain" onClick={() => setWhole(true)}>
            {things.length - shown.length} more
          </button>
        </p>
      )}
    </li>
  )
}

type NotedItem = Pick<ReceivedItem, 'id' | 'kind'> & Partial<ReceivedItem>

/** Characters of a question that are compared with the turn; events have only its beginning. */
const comparedLength = 80

function noteTitle(kind: Event['kind'], { surface }: Event['payload']): string | undefined {
  if (kind === 'context.recalled') return surface === 'start' ? 'Given at the start' : 'Given with the prompt'
  if (kind === 'recall.requested') return 'Asked the memory'
  if (kind === 'recall.result') return 'Found'
  return kind === 'assertion.created' ? 'Saved' : undefined
}

/** Items whose names are not stored with the event. */
const unnamed: Readonly<Partial<Record<ReceivedItem['kind'], string>>> = {
  artifact: 'A passage of a source',
  message: 'A message from another agent',
}

/** The name of a memory or entity, as a link to it. */
function ItemLink({ kind, id, name }: Pick<ReceivedItem, 'id' | 'kind'> & { name: string | undefined }) {
  const called = name ?? unnamed[kind] ?? `${kind} ${id.slice(-8)}`
  const address = addressOfItem(kind, id)
  if (address === undefined) return <span class="clip">{called}</span>
  return (
    <a class="quiet clip" href={address}>
      {called}
    </a>
  )
}

/** A received memory or entity, with the reason for its selection. */
function ReceivedItemRow({ given: { id, kind, by, score, importance }, name }: ReceivedItemRowProps) {
  const why = [
    by && foundByLabel(by),
    score !== undefined && `score ${score.toFixed(2)}`,
    importance !== undefined && `importance ${importance}`,
  ].filter(Boolean)
  return (
    <li class="thing">
      <ItemLink kind={kind} id={id} name={name} />
      {why.length > 0 && <span class="dim">{why.join(', ')}</span>}
    </li>
  )
}

function addressOfItem(kind: ReceivedItem['kind'], id: string): string | undefined {
  if (kind === 'memory') return addressOf('memories', [id])
  if (kind === 'artifact') return addressOf('search', [id])
  if (kind === 'message') return addressOf('tasks', ['messages'])
  return kind === 'entity' ? addressOf('knowledge', ['entity', id]) : undefined
}

/** The formula of the scores at a session start (rules.md 4.12). */
function Formula({ payload: { recencyBias } }: { payload: Event['payload'] }) {
  if (recencyBias === undefined) return null
  const share = Number((1 - recencyBias).toFixed(2))
  return (
    <p class="dim">
      Score: importance × {share} + {recencyBias} / (1 + age in days); pinned memories score 1.
    </p>
  )
}

/** The number of omitted memories by reason. */
function OmittedCounts({ payload: { leftOut = {}, withheld } }: { payload: Event['payload'] }) {
  const reasons = leftOutWords({
    ...leftOut,
    ...(typeof withheld === 'number' && { shownBefore: withheld }),
  })
  return reasons.length === 0 ? null : <p class="dim">Omitted: {reasons.join(', ')}</p>
}
