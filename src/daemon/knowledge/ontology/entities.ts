import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Entity, EntityLink, HeldValue } from '../../../contract/knowledge/ontology.js'
import { quoted } from '../../../lib/text/clip.js'
import type { HeldRow } from '../../../store/tables/knowledge/claims.js'
import type { EntityCursor, EntityRow } from '../../../store/tables/knowledge/entities.js'
import type { LinkedRow } from '../../../store/tables/knowledge/entity-links.js'
import { nameKey } from '../../ground/entities/name-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Reader } from './evidence/source.js'
import { findEntity } from './model/find-entity.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { type Page, toldPage } from './told-pages.js'

type Deps = Pick<Daemon, 'store'>

const maxClaims = 500
const maxLinks = 200

/** Entities of which the reader may read something, the one that changed last first; by name where one is asked for. */
export async function listEntities(
  deps: Deps,
  caller: Caller,
  { q, limit, offset, ...named }: NamedPlace & Page & { q?: string | undefined },
): Promise<Reply<'GET /api/ontology/entities'>> {
  const reader = readerOf(caller, named)
  const read = q === undefined ? byTime(deps, reader) : byName(deps, reader, nameKey(q))
  const { told, hasMore } = await toldPage({ limit, offset }, read, async ids =>
    inOrder(ids, await deps.store.tables.entities.told(ids, reader.boundary)),
  )
  const entities = await describe(deps, reader, told)
  return { entities, count: entities.length, limit, offset, hasMore }
}

function byTime({ store }: Deps, { agentId }: Reader) {
  let cursor: EntityCursor | undefined
  return async (limit: number): Promise<string[] | undefined> => {
    const rows = await store.tables.entities.page(agentId, cursor, limit)
    cursor = rows.at(-1)
    return cursor && rows.map(({ id }) => id)
  }
}

/** An entity stands where the first of its names does. */
function byName({ store }: Deps, { agentId }: Reader, beginning: string) {
  let key = ''
  const met = new Set<string>()
  return async (limit: number): Promise<string[] | undefined> => {
    if (beginning === '') return undefined
    const rows = await store.tables.entities.beginning(agentId, beginning, key, limit)
    if (rows.length === 0) return undefined
    key = rows.at(-1)?.name_key ?? ''
    return rows.map(({ id }) => id).filter(id => !met.has(id) && met.add(id))
  }
}

function inOrder(ids: readonly string[], rows: readonly EntityRow[]): EntityRow[] {
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

async function describe(
  { store }: Deps,
  { boundary }: Reader,
  rows: readonly EntityRow[],
): Promise<Entity[]> {
  if (rows.length === 0) return []
  const names = await store.tables.entities.namesOf(rows.map(({ id }) => id))
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    type: row.entity_type,
    aliases: names
      .filter(one => one.entity_id === row.id && one.active === 1 && one.name_key !== row.name_key)
      .map(({ name }) => name),
    pinned: row.pinned === 1,
    mentions: boundary.only ? null : row.mentions,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

/** An entity that the reader may be told of. @throws AppError `not_found`, `scope_violation` */
export async function toldEntity(
  deps: Deps,
  caller: Caller,
  { id, ...named }: NamedPlace & { id: string },
): Promise<{ entity: Entity; reader: Reader }> {
  const { tables } = deps.store
  const reader = readerOf(caller, named)
  const found = await findEntity(tables, reader.agentId, id)
  const told = found ? await tables.entities.told([found.id], reader.boundary) : []
  const [entity] = await describe(deps, reader, told)
  if (!entity)
    throw new AppError(
      'not_found',
      `there is no entity ${quoted(id)}; memory ontology entities lists what is known`,
    )
  return { entity, reader }
}

/** An entity with the values and links that the reader may be told. @throws AppError `not_found`, `scope_violation` */
export async function showEntity(
  deps: Deps,
  caller: Caller,
  named: NamedPlace & { id: string },
): Promise<Reply<'GET /api/ontology/entities/:id'>> {
  const { tables } = deps.store
  const { entity, reader } = await toldEntity(deps, caller, named)
  const claims = await tables.claims.heldOf(entity.id, reader.boundary, maxClaims + 1)
  const links = await tables.entityLinks.toldOf(entity.id, reader.boundary, maxLinks + 1)
  return {
    entity,
    claims: claims.slice(0, maxClaims).map(toHeldValue),
    links: links.slice(0, maxLinks).map(toLink),
    truncated: claims.length > maxClaims || links.length > maxLinks,
  }
}

export function toHeldValue(row: HeldRow): HeldValue {
  return {
    id: row.id,
    aspect: row.aspect,
    group: row.group_name,
    claim: row.claim,
    kind: row.kind as HeldValue['kind'],
    value: row.value,
    status: row.status as HeldValue['status'],
    confidence: row.confidence,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    project: row.project,
  }
}

function toLink(row: LinkedRow): EntityLink {
  return {
    id: row.id,
    direction: row.direction,
    relation: row.relation,
    entity: { id: row.other_id, name: row.other_name, type: row.other_type },
    confidence: row.confidence,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
  }
}
