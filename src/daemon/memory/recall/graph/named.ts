import type { NamedThing } from '../../../../store/tables/knowledge/recall-paths.js'
import { weights } from '../ranking/weights.js'
import type { QueryNames } from './query-names.js'

/** What a query names of what is known. */
export interface Named extends Pick<QueryNames, 'shareOf'> {
  /** Entities with their names in the query, folded, the one that is most of the query first. */
  entities: ReadonlyMap<string, readonly string[]>
  /** How many slots are of a name in the query, by the folded name; from `mostSlots` on they are not counted. */
  slotKeys: ReadonlyMap<string, number>
  /** Slots of names that few slots have: they are meant, whatever entity they are of. */
  fewSlots: readonly string[]
}

/** Sorts what the names of a query lead to. A name within a longer one of an entity is that one's. */
export function namedBy(things: readonly NamedThing[], { shareOf }: Pick<QueryNames, 'shareOf'>): Named {
  const named = things.filter(({ part }) => part === 'entity')
  const entities = new Map<string, string[]>()
  for (const { entity_id, key } of named) {
    if (entity_id === null) continue
    const isWithin = named.some(other => other.key !== key && ` ${other.key} `.includes(` ${key} `))
    if (!isWithin) entities.set(entity_id, [...(entities.get(entity_id) ?? []), key])
  }
  const { mostSlots, mostEntities } = weights.claims
  const slots = new Map<string, Set<string>>()
  const many = new Set<string>()
  for (const { part, key, claim_id } of things) {
    if (part === 'entity') continue
    const ids = slots.get(key) ?? new Set()
    slots.set(key, claim_id === null ? ids : ids.add(claim_id))
    if (claim_id === null || ids.size >= mostSlots) many.add(key)
  }
  const byShare = [...entities].sort(([, a], [, b]) => shareOf(b) - shareOf(a))
  return {
    shareOf,
    entities: new Map(byShare.slice(0, mostEntities)),
    slotKeys: new Map([...slots].map(([key, claims]) => [key, many.has(key) ? mostSlots : claims.size])),
    fewSlots: [...slots].flatMap(([key, claims]) => (many.has(key) ? [] : [...claims])),
  }
}
