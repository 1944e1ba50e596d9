import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reply } from '../../../contract/api.js'
import { slicesOf } from '../../../lib/text/slices-of.js'
import type { AroundRow, LinkRow } from '../../../store/tables/knowledge/entity-links.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { toldEntity } from './entities.js'
import type { NamedPlace } from './model/reader.js'

type Deps = Pick<Daemon, 'store'>
type Neighbourhood = Reply<'GET /api/ontology/entities/:id/neighbourhood'>

interface Wanted extends NamedPlace {
  id: string
  /** Links from the entity to the outermost. */
  depth: number
  /** Entities, that one included. */
  limit: number
}

/** Entities that one statement looks around: a few milliseconds, however many links they have. */
const together = 20
/** Links of one entity and direction that are looked at, newest first: of the root as many as entities are wanted. */
const perEntity = 20
const maxLinks = 5000

/**
 * What is around an entity, by links that the reader may be told, and the links between what was found. The work is
 * bounded by what is asked for, however many links there are.
 * @throws AppError `not_found`, `scope_violation`
 */
export async function neighbourhoodOf(
  deps: Deps,
  caller: Caller,
  { id, depth, limit, ...named }: Wanted,
): Promise<Neighbourhood> {
  const { entity, reader } = await toldEntity(deps, caller, { ...named, id })
  const { entityLinks } = deps.store.tables
  const found = around({ id: entity.id, name: entity.name, type: entity.type, steps: 0 }, limit)
  for (let steps = 1, last = [entity.id]; steps <= depth && last.length > 0; steps++) {
    const outer: string[] = []
    const most = steps === 1 ? limit : perEntity
    for (const some of slicesOf(last, together)) {
      if (found.isFull()) break
      if (await entityLinks.haveMoreThan(some, most)) found.cut()
      const rows = await entityLinks.around(some, { boundary: reader.boundary, most })
      outer.push(...rows.filter(row => found.take(row, steps)).map(({ far }) => far))
      await nextTurn()
    }
    last = outer
  }
  const [, ...others] = found.ids()
  for (const some of slicesOf(others, together)) {
    if (found.isFull('links')) break
    const within = { boundary: reader.boundary, most: perEntity, within: found.ids() }
    for (const row of await entityLinks.between(some, within)) found.link(row)
    await nextTurn()
  }
  return found.told()
}

/** Entities and links as they are found, with an end to both. */
function around(root: Neighbourhood['nodes'][number], limit: number) {
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
    /** @param steps how far what is new is from the root. @returns whether there is something new at the other end. */
    take: (row: AroundRow, steps: number): boolean => {
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
