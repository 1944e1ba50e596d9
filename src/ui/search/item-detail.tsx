import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { trail } from '../../lib/text/one-line.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/projects.js'
import { EntityDetail } from '../knowledge/entity-detail.js'
import { MemoryDetail } from '../memories/detail.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { SafeLink, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

type OpenedItem = Reply<'GET /api/items/:id'>
type Passages = Extract<OpenedItem, { kind: 'note' | 'document' }>
type Passage = Passages['passage']
type Session = Extract<OpenedItem, { kind: 'session' }>
type Code = Extract<OpenedItem, { kind: 'code' }>['code']

interface ItemDetailProps {
  id: string
  onClose: () => void
}

/** Anything that a search finds, opened by its id. */
export function ItemDetail({ id, onClose }: ItemDetailProps) {
  const item = useLoaded(signal => call('GET /api/items/:id', { params: { id } }, { signal }), [id])
  if (item.value?.kind === 'memory') return <MemoryDetail id={item.value.id} onClose={onClose} />
  return (
    <>
      <div class="line">
        <button type="button" class="plain" onClick={onClose}>
          ← Back to the list
        </button>
      </div>
      {item.error && <Failure error={item.error} retry={item.reload} />}
      {!item.value && !item.error && <Loading />}
      {item.value && <Opened item={item.value} />}
    </>
  )
}

function Opened({ item }: { item: Exclude<OpenedItem, { kind: 'memory' }> }) {
  if (item.kind === 'entity') return <EntityDetail id={item.id} />
  if (item.kind === 'session') return <Turns session={item} />
  return item.kind === 'code' ? <Definitions code={item.code} /> : <PassageWithNeighbours item={item} />
}

function Turns({ session }: { session: Session }) {
  const nameOf = useProjectNames()
  const { sessionKey, title, harness, project, capturedAt, total, position, turns } = session
  return (
    <section class="stack" aria-label="Session">
      <h2 class="words">{title || sessionKey}</h2>
      <p class="dim">
        {labelOf('harness', harness)} {nameOf(project)} <Time at={capturedAt} />, turn {position + 1} of{' '}
        {total}.{' '}
        <a href={addressOf('sessions', [sessionKey], { turn: String(position) })}>Open the session</a>
      </p>
      <ol class="plain-list lined">
        {turns.map(({ position: at, role, text }) => (
          <li key={at} aria-current={at === position ? 'true' : undefined}>
            <strong>{role}</strong>
            <p class="words">{text ?? 'Withheld: it failed the safety check.'}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function PassageWithNeighbours({ item }: { item: Passages }) {
  const { of, passage, before, after, kind } = item
  return (
    <section class="stack" aria-label="Passage">
      <h2 class="words">{trail([of.title ?? of.path, passage.heading, passage.page])}</h2>
      <p class="dim">
        {kind} {of.sourceName} {of.url ? <SafeLink address={of.url} /> : of.path}{' '}
        {kind === 'document' && <a href={addressOf('sources', ['documents', of.id])}>Open the document</a>}
      </p>
      {before && <Neighbour title="Before" passage={before} />}
      <p class="words">{passage.text}</p>
      {after && <Neighbour title="After" passage={after} />}
    </section>
  )
}

function Neighbour({ title, passage }: { title: string; passage: Passage }) {
  return (
    <div>
      <a href={addressOf('search', [passage.id])}>{title}</a>
      <p class="words dim">{passage.text}</p>
    </div>
  )
}

function Definitions({ code }: { code: Code }) {
  return (
    <>
      {code.definitions.map(({ symbol, callers, callees }) => (
        <section class="stack" aria-label="Code" key={`${symbol.path} ${symbol.line}`}>
          <h2 class="words">{symbol.qualified}</h2>
          <p class="dim">
            {symbol.kind} in {symbol.path}:{symbol.line}
          </p>
          {symbol.doc && <p class="words">{symbol.doc}</p>}
          {symbol.signature && <pre class="words">{symbol.signature}</pre>}
          <Uses title="Used by" uses={callers} />
          <Uses title="Uses" uses={callees} />
        </section>
      ))}
    </>
  )
}

function Uses({ title, uses }: { title: string; uses: Code['definitions'][number]['callers'] }) {
  if (uses.length === 0) return null
  return (
    <div>
      <h3>{title}</h3>
      <ul class="plain-list">
        {uses.map(({ symbol, at }) => (
          <li key={`${symbol.qualified} ${at.path} ${at.line}`}>
            {symbol.qualified}{' '}
            <span class="dim">
              {at.path}:{at.line}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
