import { createHash } from 'node:crypto'
import type { RecallRow } from '../../../contract/memory/memory.js'
import type { CurrentValue } from '../../../store/tables/knowledge/claims.js'
import type { EntityRow } from '../../../store/tables/knowledge/entities.js'
import type { MemoryFilter } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { entityLine } from '../../ground/entities/entity-line.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Found } from './find-candidates.js'
import type { FoundPaths, GraphReader } from './graph/find-paths.js'
import { weights } from './ranking/weights.js'
import { isForMemories } from './recall-filter.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** The type of a row that is a card; no memory has it. */
export const cardType = 'entity'

/** What is held of an entity that the query names, with what says it. */
export interface EntityCard {
  /** Another one as soon as other values are on it: a session is told of these then. */
  id: string
  entity: EntityRow
  values: readonly (CurrentValue & { sources: readonly { kind: string; id: string }[] })[]
  /** That of the best row of the ranking that says something on it, 0 where none does. */
  score: number
}

/**
 * Cards of the entities that a query names (recall.md#entity-cards): values that hold now and that the reader may be
 * told, those of named slots first. A recall that asks for what only memories have gives none, and neither does one
 * that found nothing, unless a slot is named.
 */
export async function entityCards(
  { store: { tables }, clock }: Deps,
  { agentId, boundary }: GraphReader,
  { named }: Pick<FoundPaths, 'named'>,
  { filter, primary }: { filter: MemoryFilter; primary: readonly Found[] },
): Promise<EntityCard[]> {
  const { cards: most, cardValues, looked } = weights.supplementary
  const { project, scope, since, until } = filter
  if (isForMemories(filter) || since !== undefined || until !== undefined) return []
  const first = [...named.entities.keys()].slice(0, most)
  const ids = primary.length > 0 ? first : await withSlotNamed(tables, agentId, first, named)
  if (ids.length === 0) return []
  const sources = { ...(project !== undefined && { project }), ...(scope !== undefined && { scope }) }
  const now = clock().toISOString()
  const asked = { boundary, sources, minConfidence: 0, project, now, limit: looked }
  const values = await tables.claims.current(ids, asked)
  const isNamed = ({ aspect_key, group_key, claim_key }: CurrentValue): boolean =>
    [aspect_key, group_key, claim_key].some(key => named.slotKeys.has(key))
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
    return [{ id: `entity:${id}:${printOf(told)}`, entity, values: told, score: Math.max(0, ...found) }]
  })
}

/** Where nothing was found, entities of which no named slot is known are not looked at: they are told of by nothing. */
async function withSlotNamed(
  { recallPaths }: Tables,
  agentId: string,
  ids: readonly string[],
  { slotKeys }: FoundPaths['named'],
): Promise<readonly string[]> {
  if (ids.length === 0 || slotKeys.size === 0) return []
  const known = await recallPaths.withSlotNamed(agentId, ids, [...slotKeys.keys()])
  return ids.filter(id => known.has(id))
}

function printOf(values: readonly { id: string }[]): string {
  const ids = values.map(({ id }) => id).sort()
  return createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 12)
}

/** A card as a row of the reply. */
export function cardRow({ id, entity, values, score }: EntityCard): RecallRow {
  return {
    id,
    content: entityLine(entity, values),
    type: cardType,
    tags: '',
    who: null,
    project: null,
    scope: null,
    importance: 0,
    pinned: 0,
    created_at:
      values
        .map(({ recorded_at }) => recorded_at)
        .sort()
        .at(-1) ?? entity.updated_at,
    session_id: null,
    source_type: 'ontology',
    source_id: entity.id,
    source_path: null,
    entity: {
      id: entity.id,
      name: entity.name,
      type: entity.entity_type,
      values: values.map(({ id, aspect, group_name, claim, value, confidence, project, sources }) => ({
        id,
        aspect,
        group: group_name,
        claim,
        value,
        confidence,
        project,
        sources: [...sources],
      })),
    },
    superseded_by: null,
    currentness: 'current',
    score,
    source: 'graph',
    supplementary: true,
  }
}
