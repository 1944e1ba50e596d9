import type { NamedThing, NameKind } from '../../../../../store/tables/knowledge/recall-paths.js'
import type { ReadBoundary } from '../../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../../store/tables/tables.js'
import type { Daemon } from '../../../../platform/daemon/daemon.js'
import type { GraphEvidence } from '../../ranking/evidence.js'
import { weights } from '../../ranking/weights.js'
import {
  claimEvidence,
  followLinksOnce,
  type Nearness,
  pathFactors,
  traversalEvidence,
} from './path-evidence.js'
import { matchNames, namesIn, type QueryMatches } from './query-names.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** The ontology in which a recall looks up names, and the graph channels it uses. */
export interface GraphReader {
  agentId: string
  /** The agent's own memories, as far as the caller may read them (knowledge.md#who-reads-what). */
  boundary: ReadBoundary
  claims: boolean
  traversal: boolean
  /** Adds cards of named entities beside the ranking. */
  cards: boolean
}

export interface GraphSearch {
  query: string
  project: string | undefined
  /** -1 to 1 by memory id. */
  ratings: ReadonlyMap<string, number>
}

/** Entities and slots that a query names, and the points of memories on paths from there. */
export interface QueryPaths extends GraphEvidence {
  matches: QueryMatches
}

interface GraphLookup {
  reader: GraphReader
  matches: QueryMatches
  /** ISO 8601. */
  now: string
  factors: ReadonlyMap<string, number>
}

/**
 * Graph evidence for the entities that a query names (recall.md#the-graph): claims lead to the memories that
 * state them, links to memories about entities one or two steps away. Returns ids only; they are authorised
 * like every candidate.
 */
export async function findPaths(
  { store: { tables }, clock }: Deps,
  reader: GraphReader,
  { query, project, ratings }: GraphSearch,
): Promise<QueryPaths> {
  const names = namesIn(query)
  const things = await lookUpNames(tables, reader, names.keys)
  const matches = matchNames(things, names)
  if (things.length === 0) return { claims: new Map(), traversal: new Map(), matches }
  const factors = await pathFactors(tables, reader.agentId, ratings)
  const lookup = { reader, matches, now: clock().toISOString(), factors }
  return {
    claims: reader.claims ? await claimPoints(tables, lookup, project) : new Map(),
    traversal: reader.traversal ? await traversalPoints(tables, lookup) : new Map(),
    matches,
  }
}

/** Looks up word runs only when some name begins with their first word: most runs are not names. */
async function lookUpNames(
  { recallPaths }: Tables,
  { agentId }: GraphReader,
  keys: readonly string[],
): Promise<NamedThing[]> {
  if (keys.length === 0) return []
  const first = new Map(keys.map(key => [key, key.split(' ', 1)[0] as string]))
  const begins = await recallPaths.beginning(agentId, [...new Set(first.values())])
  const of = (part: NameKind) => keys.filter(key => begins[part].has(first.get(key) as string))
  const byPart = { entity: of('entity'), claim: of('claim'), aspect: of('aspect'), group: of('group') }
  if (Object.values(byPart).every(({ length }) => length === 0)) return []
  return recallPaths.named(agentId, byPart, weights.claims.mostSlots)
}

async function claimPoints(
  { recallPaths }: Tables,
  { reader, matches, now, factors }: GraphLookup,
  project: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const { perEntity, perValue } = weights.claims
  const paths = await recallPaths.claimPaths({
    agentId: reader.agentId,
    claims: matches.fewSlots,
    entities: [...matches.entities.keys()],
    keys: [...matches.slotKeys.keys()],
    project,
    now,
    perEntity,
    perValue,
  })
  return claimEvidence(paths, matches, factors)
}

/**
 * Follows links from the query's entities for one and two steps; links are followed only if the reader may
 * read their sources.
 */
async function traversalPoints(
  { recallPaths }: Tables,
  { reader: { boundary }, matches, now, factors }: GraphLookup,
): Promise<ReadonlyMap<string, number>> {
  const { steps, mostLinks, mostEntities, perEntity } = weights.traversal
  const weighed = (some: Nearness): Nearness =>
    new Map([...some].map(([id, share]) => [id, share * (factors.get(id) ?? 1)]))
  let last = weighed(new Map([...matches.entities].map(([id, names]) => [id, matches.shareOf(names)])))
  const nearness = new Map(last)
  for (let step = 0; step < steps && last.size > 0; step++) {
    const links = await recallPaths.linkPaths([...last.keys()], { boundary, now, limit: mostLinks + 1 })
    last = strongest(weighed(followLinksOnce(last, links, nearness)), mostEntities)
    for (const [id, share] of last) nearness.set(id, share)
  }
  if (nearness.size === 0) return new Map()
  return traversalEvidence(nearness, await recallPaths.mentionPaths([...nearness.keys()], perEntity))
}

function strongest(nearness: Nearness, most: number): Nearness {
  return new Map([...nearness].sort(([, a], [, b]) => b - a).slice(0, most))
}
