import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { useLoaded } from '../../api/loaded.js'
import { SearchField } from '../../parts/fields.js'
import { Empty } from '../../parts/placeholders.js'
import { type Column, VirtualTable } from '../../parts/table/virtual-table.js'
import { useDebounced } from '../../parts/use-interval.js'
import { countText } from '../../parts/values.js'
import { addressOf } from '../../routing/place.js'
import type { GraphData, GraphEntity } from './graph-data.js'

interface BesideProps {
  graph: GraphData
  kinds: ReadonlyMap<string, number>
  shown: readonly GraphEntity[]
  focus: string | undefined
  onFocus: (id: string | undefined) => void
}

interface EntityFactsProps {
  entity: GraphEntity
  kinds: ReadonlyMap<string, number>
  /** Maximum facts. */
  limit: number
}

const restMs = 120
/** Half of the card with its distance, so that it stays inside the frame. */
const reach = { x: 320, y: 200 }

/** Beside the graph: all entities as a list, for keyboards and screen readers, or the chosen one. */
export function Beside({ graph, kinds, shown, focus, onFocus }: BesideProps) {
  const chosen = graph.nodes.find(({ id }) => id === focus)
  return (
    <div class="graph-beside">
      {chosen ? (
        <Chosen key={chosen.id} {...{ chosen, graph, kinds, onFocus }} />
      ) : (
        <EntityList {...{ kinds, shown, onFocus }} />
      )}
    </div>
  )
}

function EntityList({ kinds, shown, onFocus }: Pick<BesideProps, 'kinds' | 'shown' | 'onFocus'>) {
  const [q, setQ] = useState('')
  const asked = q.trim().toLowerCase()
  const found = asked === '' ? shown : shown.filter(({ name }) => name.toLowerCase().includes(asked))
  const columns: readonly Column<GraphEntity>[] = [
    { title: 'Name', width: 'minmax(0, 1fr)', cell: one => <Name entity={one} kinds={kinds} /> },
    { title: 'Mentions', width: '6.25rem', cell: ({ mentions }) => mentions ?? '' },
  ]
  return (
    <>
      <SearchField label="Find in the graph" value={q} onInput={setQ} />
      {found.length === 0 ? (
        <Empty title="No matching entities" />
      ) : (
        <VirtualTable
          label="Entities of the graph"
          columns={columns}
          count={found.length}
          rowAt={position => found[position]}
          keyOf={({ id }) => id}
          onOpen={({ id }) => onFocus(id)}
        />
      )}
    </>
  )
}

/** The name with the colour of its type, and the type for those who do not see colours. */
function Name({
  entity: { name, type },
  kinds,
}: {
  entity: GraphEntity
  kinds: ReadonlyMap<string, number>
}) {
  return (
    <span class={`kind kind-${kinds.get(type) ?? 0}`}>
      {name} <span class="dim">{type}</span>
    </span>
  )
}

interface ChosenProps extends Pick<BesideProps, 'graph' | 'kinds' | 'onFocus'> {
  chosen: GraphEntity
}

function Chosen({ chosen, graph, kinds, onFocus }: ChosenProps) {
  const byId = new Map(graph.nodes.map(one => [one.id, one]))
  const relations = graph.links.flatMap(({ id, from, to, relation }) => {
    const other = byId.get(from === chosen.id ? to : from)
    return other && [from, to].includes(chosen.id)
      ? [{ id, relation, other, isFrom: from === chosen.id }]
      : []
  })
  return (
    <section class="stack graph-chosen" aria-label={chosen.name}>
      <p class="line">
        <button type="button" class="plain" onClick={() => onFocus(undefined)}>
          ← All entities
        </button>
        <a class="as-button" href={addressOf('knowledge', ['entity', chosen.id])}>
          Open page
        </a>
      </p>
      <EntityFacts entity={chosen} kinds={kinds} limit={8} />
      {relations.length > 0 && (
        <section class="stack" aria-label="Relations">
          <h3>Relations</h3>
          <ul class="plain-list lined">
            {relations.map(({ id, relation, other, isFrom }) => (
              <li key={id} class="words">
                {isFrom && <span class="dim">{relation} </span>}
                <button type="button" class="link" onClick={() => onFocus(other.id)}>
                  {other.name}
                </button>
                {!isFrom && <span class="dim"> {relation} it</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </section>
  )
}

interface HoverCardProps extends Omit<EntityFactsProps, 'limit'> {
  at: { x: number; y: number }
}

/** A card beside an entity under the pointer, which shows facts once the pointer rests. */
export function HoverCard({ entity, at: { x, y }, kinds }: HoverCardProps) {
  const rested = useDebounced(entity.id, restMs)
  const isLeft = x > reach.x
  const isAbove = y > reach.y
  const style = { left: `${x}px`, top: `${y}px` }
  return (
    <div class={`graph-hover ${isLeft ? 'left' : ''} ${isAbove ? 'above' : ''}`} style={style}>
      {rested === entity.id && <EntityFacts entity={entity} kinds={kinds} limit={3} />}
    </div>
  )
}

/** Name, type, mentions, and the most important facts with a quote each. */
function EntityFacts({ entity: { id, name, type, mentions }, kinds, limit }: EntityFactsProps) {
  const loaded = useLoaded(
    signal => call('GET /api/ontology/entities/:id/about', { params: { id }, query: { limit } }, { signal }),
    [id, limit],
  )
  const facts = loaded.value?.groups
    .filter(({ aspect }) => aspect !== 'relations')
    .flatMap(group => group.facts)
    .slice(0, limit)
  return (
    <>
      <h2 class={`words kind kind-${kinds.get(type) ?? 0}`}>{name}</h2>
      <p class="dim">
        {type}
        {mentions !== null && `, mentioned in ${countText(mentions, 'memory', 'memories')}`}
      </p>
      {facts?.length === 0 && <p class="dim">No facts of its own.</p>}
      <ul class="plain-list lined">
        {facts?.map(({ id: fact, text, sources: [source] }) => (
          <li key={fact} class="stack">
            <strong class="words">{text}</strong>
            {source && <q class="words dim">{source.quote}</q>}
          </li>
        ))}
      </ul>
    </>
  )
}
