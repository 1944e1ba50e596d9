import { call } from '../../api/call.js'
import { useLoaded } from '../../api/loaded.js'
import { countText } from '../../parts/count-text.js'
import { useDebounced } from '../../parts/use-interval.js'
import type { GraphEntity } from './graph-data.js'

interface EntityFactsProps {
  entity: GraphEntity
  kinds: ReadonlyMap<string, number>
  /** Maximum facts. */
  limit: number
}

const restMs = 120
/** Half of the card with its distance, so that it stays inside the frame. */
const reach = { x: 320, y: 200 }

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
export function EntityFacts({ entity: { id, name, type, mentions }, kinds, limit }: EntityFactsProps) {
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
