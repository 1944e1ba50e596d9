import { queryStopWords, weakQueryWords } from '../../../../store/index/words/analysis/stop-words.js'
import type {
  ClaimPath,
  LinkPath,
  MentionPath,
  NamedThing,
  NameKind,
} from '../../../../store/tables/knowledge/recall-paths.js'
import type { ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { nameWords, runsAt } from '../../../ground/entities/name-key.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { GraphEvidence } from '../ranking/evidence.js'
import { weights } from '../ranking/weights.js'

const weak: ReadonlySet<string> = new Set(weakQueryWords)

/** Characters and words of a query in which names are looked up; questions are shorter. */
const maxCharacters = 4000
const maxWords = 64

/** Possible names in a query. */
interface QueryNames {
  /** Every folded run of its words that may be a name, except runs of meaningless words. */
  keys: readonly string[]
  /**
   * Share of the query that the words of some names make up, 0..1, counted as in the index: weak words half.
   */
  shareOf: (keys: Iterable<string>) => number
}

/** Finds possible names in a query, in whole words. */
export function namesIn(query: string): QueryNames {
  const words = nameWords(query.slice(0, maxCharacters)).slice(0, maxWords)
  const keys = new Set(words.flatMap((_, at) => runsAt(words, at)))
  const counted = (some: Iterable<string>) => [...new Set(some)].reduce((sum, word) => sum + countOf(word), 0)
  // A long question counts as a few words, as in the index.
  const full = Math.min(Math.max(1, counted(words)), weights.fuse.fullQuestionWords)
  return {
    keys: [...keys].filter(key => {
      const words = key.split(' ')
      // One word is nearly always enough.
      return words.some(word => countOf(word) >= 1) || counted(words) >= 1
    }),
    shareOf: names => Math.min(1, counted([...names].flatMap(name => name.split(' '))) / full),
  }
}

/** Weight of a word in a query. */
function countOf(word: string): number {
  if (queryStopWords.has(word)) return 0
  return weak.has(word) ? 0.5 : 1
}

/** Entities and slots of the ontology that a query names. */
interface QueryMatches extends Pick<QueryNames, 'shareOf'> {
  /** Entities with their folded names in the query; the entity that makes up most of the query first. */
  entities: ReadonlyMap<string, readonly string[]>
  /** Number of slots by folded name in the query, counted up to `mostSlots`. */
  slotKeys: ReadonlyMap<string, number>
  /** Slots whose name is shared by few: they are meant even without their entity. */
  fewSlots: readonly string[]
}

/** Sorts the named things. A name within a longer name of an entity does not count separately. */
export function matchNames(
  things: readonly NamedThing[],
  { shareOf }: Pick<QueryNames, 'shareOf'>,
): QueryMatches {
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

/**
 * Points of claims for the memories that state them, by the share of the query that the names on the path
 * make up. A named slot is what the query asks for. Without its entity, each slot of that name counts less
 * the more there are. An entity alone leads to all its known values.
 * @param factors factors of entities from the session's ratings
 * @returns points by memory id
 */
export function claimEvidence(
  paths: readonly ClaimPath[],
  { entities, slotKeys, shareOf }: QueryMatches,
  factors: ReadonlyMap<string, number>,
): Map<string, number> {
  const { points: most, entityAlone } = weights.claims
  const known = new Map<string, Set<string>>()
  for (const { entity_id, version_id } of paths)
    known.set(entity_id, (known.get(entity_id) ?? new Set()).add(version_id))
  const points = new Map<string, number>()
  for (const path of paths) {
    const names = entities.get(path.entity_id) ?? []
    const slot = [path.aspect_key, path.group_key, path.claim_key].filter(key => slotKeys.has(key))
    if (names.length + slot.length === 0) continue
    const fewest = Math.min(...slot.map(key => slotKeys.get(key) ?? 1))
    const alone = entityAlone / Math.sqrt(known.get(path.entity_id)?.size ?? 1)
    const reach = slot.length === 0 ? alone : names.length === 0 ? 1 / Math.sqrt(fewest) : 1
    const share = shareOf([...names, ...slot]) * (factors.get(path.entity_id) ?? 1)
    const value = Math.min(most, most * reach * path.confidence * share)
    if (value > (points.get(path.memory_id) ?? 0)) points.set(path.memory_id, value)
  }
  return points
}

/** Share of the query that an entity represents, 0..1, by its id. */
type Nearness = ReadonlyMap<string, number>

/**
 * Entities one link further: each gets the share of the previous entity, damped per step and by its number of
 * links. Entities with very many links are not followed.
 * @returns entities not reached before, by their best path
 */
export function followLinksOnce(from: Nearness, links: readonly LinkPath[], reached: Nearness): Nearness {
  const { perLink, mostLinks } = weights.traversal
  const degrees = new Map<string, number>()
  for (const { near } of links) degrees.set(near, (degrees.get(near) ?? 0) + 1)
  const further = new Map<string, number>()
  for (const { near, far, confidence } of links) {
    const degree = degrees.get(near) ?? 1
    if (reached.has(far) || degree > mostLinks) continue
    const share = ((from.get(near) ?? 0) * perLink * confidence) / Math.sqrt(degree)
    if (share > (further.get(far) ?? 0)) further.set(far, share)
  }
  return further
}

/**
 * Points of entities for the memories that mention them; fewer mentions give more points each. A memory that
 * mentions several entities gets the sum.
 * @returns points by memory id
 */
export function traversalEvidence(nearness: Nearness, mentions: readonly MentionPath[]): Map<string, number> {
  const { points: most } = weights.traversal
  const points = new Map<string, number>()
  for (const { entity_id, memory_id, mentions: count } of mentions) {
    const value = (most * (nearness.get(entity_id) ?? 0)) / Math.sqrt(Math.max(1, count))
    if (value > 0) points.set(memory_id, Math.min(most, (points.get(memory_id) ?? 0) + value))
  }
  return points
}

/**
 * Converts a session's ratings to factors of entities: a helpful or harmful memory raises or lowers the
 * entities that it mentions (recall.md#feedback). A neutral rating removes the effect.
 * @param ratings -1 to 1 by memory id
 * @returns factors by entity id, from the mean rating of its memories
 */
async function pathFactors(
  { recallPaths }: Pick<Tables, 'recallPaths'>,
  agentId: string,
  ratings: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const given = [...ratings].filter(([, rating]) => rating !== 0).map(([id]) => id)
  if (given.length === 0) return new Map()
  const rated = new Map<string, number[]>()
  for (const { entity_id, memory_id } of await recallPaths.mentionedBy(agentId, given))
    rated.set(entity_id, [...(rated.get(entity_id) ?? []), ratings.get(memory_id) ?? 0])
  return new Map([...rated].map(([id, all]) => [id, 1 + weights.feedback * mean(all)]))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
