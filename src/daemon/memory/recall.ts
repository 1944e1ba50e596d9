import type { RecallBody, RecallFilters, RecallReply, RecallRow } from '../../contract/memory.js'
import { EmbeddingUnavailable } from '../../store/embedding/embedder.js'
import type { IndexFilter, IndexHits } from '../../store/index/memory-index.js'
import type { MemoryRow } from '../../store/tables/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../store/tables/memory-filter.js'
import type { Caller } from '../caller.js'
import type { Daemon } from '../daemon.js'
import { recallBoundary } from './boundary.js'
import { formatBrief } from './brief.js'
import type { Ranked } from './ranking/evidence.js'
import { explain } from './ranking/explain.js'
import { rankCandidates } from './ranking/rank-candidates.js'
import { refineWithContent } from './ranking/refine-with-content.js'
import { relevant } from './ranking/relevance.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'log'>

/** Candidates asked of each channel: enough for every evidence step to reorder the best. */
const channelDepth = 400
/** Rows that are loaded and looked at before the limit cuts. */
const minLoaded = 60
/** A query waits this long for its embedding, then goes on by keyword. */
const queryDeadlineMs = 2000

export interface Found {
  row: MemoryRow
  ranked: Ranked
  source: string
}

export interface Search {
  query: string
  keywordQuery?: string | null | undefined
  boundary: ReadBoundary
  filter: MemoryFilter
  limit: number
  scoreMin?: number | undefined
}

export interface SearchResult {
  found: Found[]
  hits: IndexHits
  timings: Record<string, number>
  skipped: string[]
  embedding: string | undefined
}

/** Hybrid recall (spec 1, 1.3 and 4.9). */
export async function recall(deps: Deps, caller: Caller, body: RecallBody): Promise<RecallReply> {
  const started = performance.now()
  const result = await search(deps, {
    query: body.query,
    keywordQuery: body.keywordQuery,
    boundary: await recallBoundary(deps, caller, body),
    filter: toFilter(body),
    limit: body.limit,
    scoreMin: body.score_min ?? undefined,
  })
  const results = result.found.map(found => toRow(found, body.explain))
  await countAccess(deps, results)
  result.timings.total = performance.now() - started
  return {
    results,
    count: results.length,
    query: body.query,
    method: methodOf(result.hits),
    meta: {
      totalReturned: results.length,
      hasSupplementary: false,
      noHits: results.length === 0,
      timings: rounded(result.timings),
      vectorCompleteness: result.hits.vectorCompleteness,
      searchedWindow: result.hits.searchedWindow,
      ...(result.embedding && { embedding: result.embedding }),
      ...(result.skipped.length > 0 && { skipped: result.skipped }),
    },
    message: formatBrief(body.query, results),
  }
}

/**
 * Candidates by id from every channel -> evidence -> one authorisation in SQL -> only then content -> content
 * evidence -> cut-off -> limit (spec 1, 1.3.5 to 1.3.10).
 */
export async function search(deps: Deps, request: Search): Promise<SearchResult> {
  const timings: Record<string, number> = {}
  const { vector, problem } = await timed(timings, 'embed', () => embedQuery(deps, request.query))
  const hits = await timed(timings, 'index', () =>
    deps.index.search({
      text: request.keywordQuery?.trim() || request.query,
      vector,
      filter: toIndexFilter(request.boundary, request.filter),
      depth: channelDepth,
    }),
  )
  for (const [channel, ms] of Object.entries(hits.timings)) timings[channel] = ms
  const context = { query: request.query, facts: deps.index.facts }
  const ranking = rankCandidates({ ...context, hits, now: deps.clock().getTime() })
  Object.assign(timings, ranking.timings)
  const rows = await timed(timings, 'authorize', () => authorized(deps, request, ranking.ranked))
  const contents = new Map([...rows].map(([id, row]) => [id, row.content]))
  const refined = refineWithContent(ranking.ranked, { ...context, contents })
  Object.assign(timings, refined.timings)
  const failures = [...ranking.failures, ...refined.failures]
  for (const failure of failures) deps.log.warn(failure, 'recall step skipped')
  return {
    found: relevant(refined.ranked, request.scoreMin)
      .slice(0, request.limit)
      .map(ranked => ({ row: rows.get(ranked.id) as MemoryRow, ranked, source: sourceOf(ranked) })),
    hits,
    timings,
    skipped: failures.map(({ step }) => step),
    embedding: problem,
  }
}

/** Filters of a recall as the store knows them; without a scope only unscoped rows (spec 1, 1.3.3 and 1.3.4). */
export function toFilter(body: RecallFilters): MemoryFilter {
  return {
    ...(body.type && { types: [body.type].flat() }),
    ...(body.tags && { tags: body.tags }),
    ...(body.who && { who: body.who }),
    ...(body.project && { project: body.project }),
    scope: body.scope ?? null,
    ...(body.pinned != null && { pinned: body.pinned }),
    ...(body.importance_min != null && { importanceMin: body.importance_min }),
    ...(body.since && { since: body.since }),
    ...(body.until && { until: body.until }),
  }
}

/** The index narrows as far as it can; SQL decides. Rows of a group's agents are all candidates. */
export function toIndexFilter(
  { agents, globalOf }: ReadBoundary,
  { since, until, ...filter }: MemoryFilter,
): IndexFilter {
  return {
    ...filter,
    agents: globalOf === 'all' ? agents : [...agents, ...globalOf],
    includeGlobal: globalOf === 'all',
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
  }
}

async function embedQuery(
  { embedder, log }: Deps,
  query: string,
): Promise<{ vector?: Float32Array; problem?: string }> {
  const { available, state, error } = embedder().status()
  if (!available) {
    if (state !== 'off') embedder().warm()
    return { problem: error ?? `embedding is ${state}` }
  }
  try {
    const [vector] = await embedder().embed([query], { kind: 'query', deadlineMs: queryDeadlineMs })
    return vector ? { vector } : { problem: 'no vector' }
  } catch (cause) {
    if (!(cause instanceof EmbeddingUnavailable)) log.warn({ err: cause }, 'query embedding failed')
    return { problem: cause instanceof EmbeddingUnavailable ? cause.message : 'embedding failed' }
  }
}

/** The best candidates that the reader may see, with their content; the others are never loaded (spec 1, 1.3.6). */
async function authorized(
  { store }: Deps,
  { boundary, filter, limit }: Search,
  ranked: readonly Ranked[],
): Promise<Map<string, MemoryRow>> {
  const ids = ranked.map(({ id }) => id)
  const allowed = await store.tables.memories.authorize(ids, boundary, filter)
  const best = ids.filter(id => allowed.has(id)).slice(0, Math.max(minLoaded, limit))
  return new Map((await store.tables.memories.load(best)).map(row => [row.id, row]))
}

/** Only what is returned counts as accessed; a counter may be lost, so nothing waits for the disk (spec 1, 1.3.11). */
async function countAccess({ store, clock, log }: Deps, results: readonly RecallRow[]): Promise<void> {
  if (results.length === 0) return
  const ids = results.map(({ id }) => id)
  try {
    await store.bookkeeping(tables => tables.memories.countAccess(ids, clock().toISOString()))
  } catch (error) {
    log.warn({ err: error }, 'access not counted')
  }
}

function toRow({ row, ranked, source }: Found, withExplanation: boolean): RecallRow {
  return {
    id: row.id,
    content: row.content,
    type: row.type,
    tags: row.tags,
    who: row.who,
    project: row.project,
    scope: row.scope,
    importance: row.importance,
    pinned: row.pinned,
    score: round(ranked.score, 4),
    source,
    created_at: row.created_at,
    session_id: row.session_id,
    source_type: row.source_type,
    source_id: row.source_id,
    source_path: row.source_path,
    superseded_by: row.superseded_by,
    ...(withExplanation && { explain: { ...explain(ranked), contributions: [...ranked.contributions] } }),
  }
}

/** The channels that found a row, joined by `+`; `context` for one that only its neighbours brought in. */
function sourceOf({ contributions }: Ranked): string {
  const channels = ['keyword', 'hints', 'vector'].filter(name =>
    contributions.some(({ step }) => step === name),
  )
  return channels.join('+') || 'context'
}

function methodOf({ searchable, vectorCompleteness }: IndexHits): RecallReply['method'] {
  if (vectorCompleteness === 'none') return searchable ? 'keyword' : 'none'
  return searchable ? 'hybrid' : 'vector'
}

async function timed<T>(timings: Record<string, number>, stage: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    timings[stage] = performance.now() - started
  }
}

function rounded(timings: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(timings).map(([stage, ms]) => [stage, round(ms, 2)]))
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
