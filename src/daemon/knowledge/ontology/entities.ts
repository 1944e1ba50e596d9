import type { Reply } from '../../../contract/api.js'
import { notFound } from '../../../contract/ground/errors.js'
import type { Entity, EntityLink, FactRecord } from '../../../contract/knowledge/ontology.js'
import { quoted } from '../../../lib/text/clip.js'
import type { FactRow } from '../../../store/tables/knowledge/claims.js'
import type { EntityCursor, EntityOrder, EntityRow } from '../../../store/tables/knowledge/entities.js'
import type { EntityLinkView } from '../../../store/tables/knowledge/entity-links.js'
import { nameKey } from '../../ground/entities/name-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Reader } from './evidence/source.js'
import { findEntity } from './model/entity.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { type Page, visiblePage } from './visible-page.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

const maxClaims = 500
const maxLinks = 200

/** Lists entities visible to the reader, most recently changed first, or by name with a query. */
export async function listEntities(
  deps: Deps,
  caller: Caller,
  {
    q,
    limit,
    offset,
    sort,
    ...named
  }: NamedPlace & Page & { q?: string | undefined; sort?: EntityOrder | undefined },
): Promise<Reply<'GET /api/ontology/entities'>> {
  const reader = readerOf(caller, named)
  const read = q === undefined ? byTime(deps, reader, sort) : byName(deps, reader, nameKey(q))
  const { told, hasMore } = await visiblePage({ limit, offset }, read, async ids =>
    inOrder(ids, await deps.store.tables.entities.told(ids, reader.boundary)),
  )
  const entities = await describe(deps, reader, told)
  return { entities, count: entities.length, limit, offset, hasMore }
}

function byTime({ store }: Deps, { agentId }: Reader, sort: EntityOrder | undefined) {
  let cursor: EntityCursor | undefined
  return async (limit: number): Promise<string[] | undefined> => {
    const rows = await store.tables.entities.page(agentId, cursor, limit, sort)
    cursor = rows.at(-1)
    return cursor && rows.map(({ id }) => id)
  }
}

/** An entity is listed at the position of its first matching name. */
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

/** Returns rows in the order of ids, without ids that have none. */
export function inOrder(ids: readonly string[], rows: readonly EntityRow[]): EntityRow[] {
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

/**
 * Returns an entity visible to the reader.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function findVisibleEntity(
  deps: Deps,
  caller: Caller,
  { id, ...named }: NamedPlace & { id: string },
): Promise<{ entity: Entity; reader: Reader }> {
  const { tables } = deps.store
  const reader = readerOf(caller, named)
  const found = await findEntity(tables, reader.agentId, id)
  const told = found ? await tables.entities.told([found.id], reader.boundary) : []
  const [entity] = await describe(deps, reader, told)
  if (!entity) throw notFound(`entity ${quoted(id)} not found`, 'see memory ontology entities')
  return { entity, reader }
}

/**
 * Returns an entity with the values and links visible to the reader.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function showEntity(
  deps: Deps,
  caller: Caller,
  named: NamedPlace & { id: string },
): Promise<Reply<'GET /api/ontology/entities/:id'>> {
  const { tables } = deps.store
  const { entity, reader } = await findVisibleEntity(deps, caller, named)
  const claims = await tables.claims.heldOf(entity.id, reader.boundary, maxClaims + 1)
  const links = await tables.entityLinks.toldOf(entity.id, {
    boundary: reader.boundary,
    limit: maxLinks + 1,
    ...fromNow(deps),
  })
  return {
    entity,
    claims: claims.slice(0, maxClaims).map(toClaimValue),
    links: links.slice(0, maxLinks).map(toLink),
    truncated: claims.length > maxClaims || links.length > maxLinks,
  }
}

/** Links that hold now, or begin later. */
export function fromNow({ clock }: Pick<Daemon, 'clock'>): { at: string; orLater: true } {
  return { at: clock().toISOString(), orLater: true }
}

function toClaimValue(row: FactRow): FactRecord {
  return {
    id: row.id,
    aspect: row.aspect,
    group: row.group_name,
    claim: row.claim,
    kind: row.kind as FactRecord['kind'],
    value: row.value,
    status: row.status as FactRecord['status'],
    confidence: row.confidence,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    project: row.project,
  }
}

function toLink(row: EntityLinkView): EntityLink {
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

const maxClaimsOfMemory = 200

/**
 * Lists the facts that a memory supports; empty if the caller may not read the memory.
 * @throws AppError `scope_violation`
 */
export async function claimsOfMemory(
  { store }: Deps,
  caller: Caller,
  { id, ...named }: NamedPlace & { id: string },
): Promise<Reply<'GET /api/ontology/memories/:id/claims'>> {
  const { agentId, boundary } = readerOf(caller, named)
  const rows = await store.tables.claims.saidBy(agentId, id, boundary, maxClaimsOfMemory + 1)
  return {
    memoryId: id,
    claims: rows.slice(0, maxClaimsOfMemory).map(row => ({
      ...toClaimValue(row),
      entity: { id: row.entity_id, name: row.entity_name, type: row.entity_type },
      quote: row.quote,
    })),
    truncated: rows.length > maxClaimsOfMemory,
  }
}
