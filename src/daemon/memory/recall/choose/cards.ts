import { createHash } from 'node:crypto'
import type { CurrentValue } from '../../../../store/tables/knowledge/claims.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import type { MemoryFilter } from '../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { weights } from '../ranking/weights.js'
import type { AuthorizedRow } from '../search/candidates.js'
import { isMemoriesOnly } from '../search/filter.js'
import type { GraphReader, QueryPaths } from '../search/find-paths.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** Current values of an entity that the query names, with their sources. */
export interface EntityCard {
  /** Includes a hash of the values, so a session is shown the card again when they change. */
  id: string
  entity: EntityRow
  values: readonly (CurrentValue & { sources: readonly { kind: string; id: string }[] })[]
  /** Score of the best ranked row that is a source of a value; 0 when there is none. */
  score: number
}

/**
 * Builds cards of the entities that a query names (recall.md#entity-cards): current values that the reader
 * may see, named slots first. Filters that only memories have give no cards. An empty ranking gives none
 * either, unless the query names a slot.
 */
export async function entityCards(
  { store: { tables }, clock }: Deps,
  { agentId, boundary }: GraphReader,
  { matches }: Pick<QueryPaths, 'matches'>,
  { filter, primary }: { filter: MemoryFilter; primary: readonly AuthorizedRow[] },
): Promise<EntityCard[]> {
  const { cards: most, cardValues, looked } = weights.supplementary
  const { project, scope, since, until } = filter
  if (isMemoriesOnly(filter) || since !== undefined || until !== undefined) return []
  const first = [...matches.entities.keys()].slice(0, most)
  const ids = primary.length > 0 ? first : await withSlotNamed(tables, agentId, first, matches)
  if (ids.length === 0) return []
  const sources = { ...(project !== undefined && { project }), ...(scope !== undefined && { scope }) }
  const now = clock().toISOString()
  const asked = { boundary, sources, minConfidence: 0, project, now, limit: looked }
  const values = await tables.claims.current(ids, asked)
  const isNamed = ({ aspect_key, group_key, claim_key }: CurrentValue): boolean =>
    [aspect_key, group_key, claim_key].some(key => matches.slotKeys.has(key))
  const shown = ids.flatMap(id => {
    const all = values.filter(({ entity_id }) => entity_id === id)
    const asked = all.filter(isNamed)
    if (all.length === 0 || (primary.length === 0 && asked.length === 0)) return []
    return [{ id, values: [...asked, ...all.filter(value => !isNamed(value))].slice(0, cardValues) }]
  })
  if (shown.length === 0) return []
  const versions = shown.flatMap(card => card.values.map(({ id }) => id))
  const saying = await tables.claims.sayingSources(versions, boundary, sources)
  const entities = await tables.entities.load(shown.map(({ id }) => id))
  const scores = new Map(primary.map(({ id, score }) => [id, score]))
  return shown.flatMap(({ id, values }) => {
    const entity = entities.find(row => row.id === id)
    if (!entity) return []
    const told = values.map(value => ({
      ...value,
      sources: saying
        .filter(({ version_id }) => version_id === value.id)
        .map(({ kind, id }) => ({ kind, id })),
    }))
    const found = told.flatMap(value => value.sources.map(source => scores.get(source.id) ?? 0))
    return [{ id: `entity:${id}:${fingerprintOf(told)}`, entity, values: told, score: Math.max(0, ...found) }]
  })
}

/** Without ranked rows, only entities with a known value in a named slot can give a card. */
async function withSlotNamed(
  { recallPaths }: Tables,
  agentId: string,
  ids: readonly string[],
  { slotKeys }: QueryPaths['matches'],
): Promise<readonly string[]> {
  if (ids.length === 0 || slotKeys.size === 0) return []
  const known = await recallPaths.withSlotNamed(agentId, ids, [...slotKeys.keys()])
  return ids.filter(id => known.has(id))
}

function fingerprintOf(values: readonly { id: string }[]): string {
  const ids = values.map(({ id }) => id).sort()
  return createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 12)
}
