import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reply } from '../../../contract/api.js'
import { slicesOf } from '../../../lib/text/clip.js'
import type { EntityRow } from '../../../store/tables/knowledge/entities.js'
import type { LinkRow, NeighborLink } from '../../../store/tables/knowledge/entity-links.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findVisibleEntity, fromNow, inOrder } from './entities.js'
import { type NamedPlace, readerOf } from './model/reader.js'

type Deps = Pick<Daemon, 'store' | 'clock'>
type Neighbourhood = Reply<'GET /api/ontology/entities/:id/neighbourhood'>
type Graph = Reply<'GET /api/ontology/graph'>

interface NeighbourhoodQuery extends NamedPlace {
  id: string
  /** Maximum number of links between the entity and the outermost one. */
  depth: number
  /** Maximum number of entities, including the first. */
  limit: number
}

/** Entities per query: a few milliseconds, however many links they have. */
const entitiesPerQuery = 20
/** Links per entity and direction, newest first; for the root as many as entities are requested. */
const perEntity = 20
const maxLinks = 5000

/**
 * Returns the entities around one, over links visible to the reader, and the links between them. The request
 * limits the work, however many links there are.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function neighbourhoodOf(
  deps: Deps,
  caller: Caller,
  { id, depth, limit, ...named }: NeighbourhoodQuery,
): Promise<Neighbourhood> {
  const { entity, reader } = await findVisibleEntity(deps, caller, { ...named, id })
  const { entityLinks } = deps.store.tables
  const time = fromNow(deps)
  const found = createGraph({ id: entity.id, name: entity.name, type: entity.type, steps: 0 }, limit)
  for (let steps = 1, last = [entity.id]; steps <= depth && last.length > 0; steps++) {
    const outer: string[] = []
    const most = steps === 1 ? limit : perEntity
    for (const some of slicesOf(last, entitiesPerQuery)) {
      if (found.isFull()) break
      if (await entityLinks.haveMoreThan(some, most)) found.cut()
      const rows = await entityLinks.around(some, { boundary: reader.boundary, most, ...time })
      outer.push(...rows.filter(row => found.take(row, steps)).map(({ far }) => far))
      await nextTurn()
    }
    last = outer
  }
  const [, ...others] = found.ids()
  for (const some of slicesOf(others, entitiesPerQuery)) {
    if (found.isFull('links')) break
    const within = { boundary: reader.boundary, most: perEntity, within: found.ids(), ...time }
    for (const row of await entityLinks.between(some, within)) found.link(row)
    await nextTurn()
  }
  return found.told()
}

interface GraphQuery extends NamedPlace {
  /** Maximum number of entities. */
  limit: number
}

/** Entities looked at for a whole graph, those changed last. */
const maxCandidates = 20_000
const candidatesPerQuery = 200
/** Links per entity of a whole graph; nobody can follow more in a picture. */
const perDrawnEntity = 250
const drawnPerQuery = 20
const maxDrawnLinks = 20_000

/**
 * Returns the entities visible to the reader and the links between them. Takes the most mentioned entities if
 * there are more than `limit`; a confined reader, who sees no counts, gets those changed last.
 * @throws AppError `scope_violation`
 */
export async function wholeGraph(
  deps: Deps,
  caller: Caller,
  { limit, project, ...named }: GraphQuery,
): Promise<Graph> {
  const { entities, entityLinks } = deps.store.tables
  const reader = readerOf(caller, { ...named, project })
  const sources = project ? { project } : {}
  const isConfined = reader.boundary.only !== undefined
  const { ids, isCut } = await candidates(deps, reader.agentId, !isConfined)
  const seen: EntityRow[] = []
  for (const some of slicesOf(ids, candidatesPerQuery)) {
    if (seen.length > limit) break
    seen.push(...(await entities.told(some, reader.boundary, sources)))
    await nextTurn()
  }
  const drawn = inOrder(ids, seen).slice(0, limit)
  const within = { boundary: reader.boundary, most: perDrawnEntity, within: drawn.map(({ id }) => id) }
  const links: LinkRow[] = []
  let hasMore = isCut || seen.length > limit
  for (const some of slicesOf(within.within, drawnPerQuery)) {
    hasMore ||= await entityLinks.haveMoreThan(some, perDrawnEntity)
    links.push(...(await entityLinks.between(some, { ...within, ...sources, ...fromNow(deps) })))
    await nextTurn()
    if (links.length >= maxDrawnLinks) break
  }
  return {
    nodes: drawn.map(row => ({
      id: row.id,
      name: row.name,
      type: row.entity_type,
      mentions: isConfined ? null : row.mentions,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    })),
    links: links.slice(0, maxDrawnLinks).map(toGraphLink),
    truncated: hasMore || links.length >= maxDrawnLinks,
  }
}

/** Returns ids of an agent's entities without an access check. */
async function candidates(
  { store }: Deps,
  agentId: string,
  byMentions: boolean,
): Promise<{ ids: string[]; isCut: boolean }> {
  const rows: Pick<EntityRow, 'id' | 'mentions'>[] = []
  let last: EntityRow | undefined
  do {
    const page = await store.tables.entities.page(agentId, last, candidatesPerQuery)
    rows.push(...page.map(({ id, mentions }) => ({ id, mentions })))
    last = page.at(-1)
    await nextTurn()
  } while (last && rows.length < maxCandidates)
  if (byMentions) rows.sort((one, other) => other.mentions - one.mentions)
  return { ids: rows.map(({ id }) => id), isCut: last !== undefined }
}

function toGraphLink({
  id,
  from_id: from,
  to_id: to,
  relation,
  confidence,
}: LinkRow): Graph['links'][number] {
  return { id, from, to, relation, confidence }
}

/** Collects entities and links up to their limits. */
function createGraph(root: Neighbourhood['nodes'][number], limit: number) {
  const nodes = new Map([[root.id, root]])
  const links = new Map<string, Neighbourhood['links'][number]>()
  let truncated = false
  const cut = (): void => {
    truncated = true
  }
  const link = (row: LinkRow): void => {
    if (links.has(row.id)) return
    if (links.size < maxLinks) links.set(row.id, toGraphLink(row))
    else cut()
  }
  return {
    cut,
    link,
    /**
     * @param steps distance from the root
     * @returns whether the entity at the other end is new
     */
    take: (row: NeighborLink, steps: number): boolean => {
      const { far: id, name, entity_type: type } = row
      const isNew = !nodes.has(id)
      if (isNew && nodes.size >= limit) {
        cut()
        return false
      }
      if (isNew) nodes.set(id, { id, name, type, steps })
      link(row)
      return isNew
    },
    ids: (): string[] => [...nodes.keys()],
    isFull: (what: 'nodes' | 'links' = 'nodes'): boolean => {
      const isFull = what === 'nodes' ? nodes.size >= limit : links.size >= maxLinks
      if (isFull) cut()
      return isFull
    },
    told: (): Neighbourhood => ({
      root: root.id,
      nodes: [...nodes.values()],
      links: [...links.values()],
      truncated,
    }),
  }
}
