import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reply } from '../../../contract/api.js'
import { slicesOf } from '../../../lib/text/slices-of.js'
import type { LinkRow, NeighborLink } from '../../../store/tables/knowledge/entity-links.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findVisibleEntity } from './entities.js'
import type { NamedPlace } from './model/reader.js'

type Deps = Pick<Daemon, 'store'>
type Neighbourhood = Reply<'GET /api/ontology/entities/:id/neighbourhood'>

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
  const found = createGraph({ id: entity.id, name: entity.name, type: entity.type, steps: 0 }, limit)
  for (let steps = 1, last = [entity.id]; steps <= depth && last.length > 0; steps++) {
    const outer: string[] = []
    const most = steps === 1 ? limit : perEntity
    for (const some of slicesOf(last, entitiesPerQuery)) {
      if (found.isFull()) break
      if (await entityLinks.haveMoreThan(some, most)) found.cut()
      const rows = await entityLinks.around(some, { boundary: reader.boundary, most })
      outer.push(...rows.filter(row => found.take(row, steps)).map(({ far }) => far))
      await nextTurn()
    }
    last = outer
  }
  const [, ...others] = found.ids()
  for (const some of slicesOf(others, entitiesPerQuery)) {
    if (found.isFull('links')) break
    const within = { boundary: reader.boundary, most: perEntity, within: found.ids() }
    for (const row of await entityLinks.between(some, within)) found.link(row)
    await nextTurn()
  }
  return found.told()
}

/** Collects entities and links up to their limits. */
function createGraph(root: Neighbourhood['nodes'][number], limit: number) {
  const nodes = new Map([[root.id, root]])
  const links = new Map<string, Neighbourhood['links'][number]>()
  let truncated = false
  const cut = (): void => {
    truncated = true
  }
  const link = ({ id, from_id: from, to_id: to, relation, confidence }: LinkRow): void => {
    if (links.has(id)) return
    if (links.size < maxLinks) links.set(id, { id, from, to, relation, confidence })
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
