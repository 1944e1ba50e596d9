import { type RecallTime, timeFacets } from '../../../../contract/memory/memory.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import {
  chunkType,
  type MemoryFilter,
  type TimeFacet,
  type TimeRange,
} from '../../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { StepReport } from '../ranking/run-steps.js'
import type { CandidateSearch, RankArtifacts, SearchResult } from './candidates.js'
import { embedQuery, type QueryVector } from './embed-query.js'
import { isOn, switchedOff } from './filter.js'
import { artifactFilter, searchArtifacts } from './find-artifacts.js'
import { findPaths, type QueryPaths } from './find-paths.js'
import { addTimings, optional, timed } from './optional-steps.js'
import { type IndexRanking, type RankingRequest, rankMemories } from './rank-memories.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'projects' | 'artifactIndex' | 'embedder' | 'clock' | 'log'>

/** The result of a search in time, and whether it had to ignore the range. */
export interface TimeSearchResult extends SearchResult {
  relaxed: boolean
}

type TimeDeps = Parameters<typeof findCandidates>[0]

/**
 * Searches within the range of a `time` object (mcp.md 4.9). In mode auto, an empty range does not make the
 * answer empty: the search is repeated without it.
 */
export async function searchInTime(
  deps: TimeDeps,
  request: CandidateSearch,
  time: RecallTime | null | undefined,
): Promise<TimeSearchResult> {
  const range = rangeOf(time)
  if (!range) return Object.assign(await findCandidates(deps, request), { relaxed: false })
  const inside = await findCandidates(deps, { ...request, filter: { ...request.filter, time: range } })
  const isEmpty = inside.rows.length === 0 && !inside.documents?.rows.length
  if (!isEmpty || time?.mode !== 'auto') return Object.assign(inside, { relaxed: false })
  return Object.assign(await findCandidates(deps, request), { relaxed: true })
}

/** Sorts rows by the requested time facets in mode timeline; otherwise keeps their order. */
export function inTimeOrder<T extends { row: RecallableMemory }>(
  rows: readonly T[],
  time: RecallTime | null | undefined,
): readonly T[] {
  if (time?.mode !== 'timeline') return rows
  const facets = time.facets ?? timeFacets
  return [...rows].sort((a, b) => (timeOf(a.row, facets) < timeOf(b.row, facets) ? -1 : 1))
}

function rangeOf(time: RecallTime | null | undefined): TimeRange | undefined {
  if (!time || (!time.start && !time.end && !time.facets)) return undefined
  return { start: time.start ?? undefined, end: time.end ?? undefined, facets: time.facets ?? timeFacets }
}

/** Prefers the time of the event over its observation, and that over the time it was recorded. */
function timeOf(row: RecallableMemory, facets: readonly TimeFacet[]): string {
  const times: Record<TimeFacet, string | null> = {
    occurred: row.occurred_at,
    observed: row.observed_at,
    source: row.source_created_at,
    valid: row.valid_from,
    session: row.session_id && row.created_at,
    captured: row.created_at,
  }
  const wanted = (Object.keys(times) as TimeFacet[]).filter(facet => facets.includes(facet))
  return wanted.map(facet => times[facet]).find(Boolean) ?? row.created_at
}

/**
 * Candidate ids from every channel -> evidence -> one authorisation in SQL -> content -> the steps that see
 * it (recall.md 1.3.5 to 1.3.9). With documents, memories and chunks are searched and ranked separately:
 * thousands of chunks would displace memories in every channel, and a strong chunk would cut them off
 * (ranking.md#memories-beside-documents).
 */
export async function findCandidates(deps: Deps, search: CandidateSearch): Promise<SearchResult> {
  const timings: Record<string, number> = {}
  const failures: SearchResult['failures'] = []
  const { vector, model, problem } = isOn(search.channels, 'vector')
    ? await timed(timings, 'embed', () => embedQuery(deps, search.query))
    : { vector: undefined, model: 'other' as const, problem: switchedOff }
  // Runs alongside, since artifacts have their own index.
  const artifacts = search.artifacts ? artifactsBeside(deps, search, { vector, model }) : undefined
  let reading: Promise<QueryPaths | undefined> | undefined
  const paths = () => {
    reading ??= pathsBeside(deps, search, { timings, failures })
    return reading
  }
  const { memories, documents } = await memoriesAndDocuments(deps, {
    search,
    filter: search.filter,
    vector,
    model,
    paths,
    rows: 'all',
  })
  addTimings(timings, memories.timings)
  if (documents) timings.documents = Object.values(documents.timings).reduce((sum, ms) => sum + ms, 0)
  return {
    rows: memories.rows,
    confidence: memories.confidence,
    hits: memories.hits,
    documents,
    artifacts,
    paths: await paths(),
    timings,
    failures: [...failures, ...memories.failures, ...(documents?.failures ?? [])],
    embedding: problem,
  }
}

interface MemoriesAndDocuments {
  memories: IndexRanking
  /** Undefined when both share one ranking. */
  documents: IndexRanking | undefined
}

async function memoriesAndDocuments(deps: Deps, request: RankingRequest): Promise<MemoriesAndDocuments> {
  const { filter, search } = request
  if (!(await (search.both ?? mayMatchBoth(deps, filter))))
    return { memories: await rankMemories(deps, request), documents: undefined }
  // In parallel: a large index runs in a thread, which searches for one while the other is ranked here.
  const [memories, documents] = await Promise.all([
    rankMemories(deps, { ...request, filter: { ...filter, chunks: false } }),
    rankMemories(deps, { ...request, filter: { ...filter, types: [chunkType] }, rows: 'chunks' }),
  ])
  return { memories, documents }
}

/** True when both memories and chunks may match. */
export async function mayMatchBoth(
  { store }: Pick<Deps, 'store'>,
  { types, chunks, document }: MemoryFilter,
): Promise<boolean> {
  if (types || chunks === false || document !== undefined) return false
  return store.tables.documentChunks.any()
}

/**
 * Prepares artifacts beside memories; an error leaves them out and keeps the answer. Sources belong to no
 * project, so with a project filter they are found by words only (recall.md 1.3.12).
 */
export function artifactsBeside(
  deps: Deps,
  { query, keywordQuery, boundary, filter, limit, artifacts, channels }: CandidateSearch,
  { vector, model }: QueryVector,
): RankArtifacts {
  const begin = async () => {
    const agents = await deps.store.tables.sources.agentsWithin(boundary)
    const narrowed = artifactFilter(boundary, filter, agents)
    if (!narrowed) return undefined
    const byVector = filter.project === undefined ? vector : undefined
    return searchArtifacts(deps, {
      query,
      keywordQuery,
      vector: byVector,
      model,
      filter: narrowed,
      limit,
      channels,
      ifAnswering: artifacts === 'answering',
    })
  }
  const begun = begin()
  begun.catch(() => undefined)
  return async wanted => {
    try {
      return await (await begun)?.(wanted)
    } catch (error) {
      deps.log.warn({ err: error }, 'artifacts of sources not searched')
      return undefined
    }
  }
}

/** Paths from the names in the query; read while the index is searched. */
async function pathsBeside(
  deps: Deps,
  { query, filter, graph, ratings = new Map() }: CandidateSearch,
  report: StepReport,
): Promise<QueryPaths | undefined> {
  if (!graph) return undefined
  return optional(deps, report, 'graph', () =>
    findPaths(deps, graph, { query, project: filter.project, ratings }),
  )
}
