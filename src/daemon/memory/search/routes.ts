import { AppError } from '../../../contract/ground/errors.js'
import { recallBody } from '../../../contract/memory/memory.js'
import type {
  MemorySearchResult,
  SearchQuery,
  SearchReply,
  SimilarQuery,
  SimilarReply,
} from '../../../contract/memory/search.js'
import * as contract from '../../../contract/memory/search.js'
import type { ChannelHit } from '../../../store/index/search.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { nearOf, readBoundary, recallBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { parseInput } from '../../platform/http/errors.js'
import { recallWithTelemetry } from '../recall/recorded/recall-with-telemetry.js'
import { toFilter, toIndexFilter } from '../recall/search/filter.js'
import { noMemory, toListedMemory } from '../records/record.js'

/** Extra hits requested from the index, since the database may refuse some. */
const spareHits = 200

type Deps = Pick<Daemon, 'store' | 'index' | 'projects'>

export const routes = [
  route(contract.recallByGet, (daemon, { caller, query: { q, query = q, ...rest } }) => {
    if (query === undefined) throw new AppError('validation_failed', 'q is required: what to search for')
    return recallWithTelemetry(daemon, caller, parseInput(recallBody, { ...rest, query }), {
      route: contract.recallByGet.path,
    })
  }),
  route(contract.searchMemories, (daemon, { caller, query }) => keywordSearch(daemon, caller, query)),
  route(contract.similarMemories, (daemon, { caller, query }) => similar(daemon, caller, query)),
]

/**
 * Finds rows by words (best first, by BM25) or by filters alone (newest first), without embedding
 * (rules.md#searches-and-vectors). Like recall, it returns only clean rows and, without a scope, unscoped
 * ones.
 */
async function keywordSearch(deps: Deps, caller: Caller, query: SearchQuery): Promise<SearchReply> {
  const boundary = await recallBoundary(deps, caller, query)
  const near = await nearOf(deps, caller, query)
  const filter: MemoryFilter = { ...toFilter(query), ...near, safety: 'clean' }
  const { memories } = deps.store.tables
  const text = query.q?.trim()
  const limit = query.limit ?? (text ? 20 : 50)
  const hits = text
    ? await keywordHits(deps, { text, boundary, filter, depth: limit + spareHits })
    : undefined
  if (query.distinct) {
    const ids = hits?.map(({ id }) => id)
    return { values: await memories.distinctWho(boundary, { ...filter, ...(ids && { ids }) }) }
  }
  if (hits) return { results: await foundRows(deps, hits, { boundary, filter, limit }) }
  // A list shows saved memories; a word search also finds document chunks.
  const rows = await memories.list(boundary, { ...filter, chunks: false }, { limit, offset: 0 })
  return { results: rows.map(row => ({ ...toListedMemory(row), project: row.project })) }
}

/**
 * Returns the best hits that the reader may see, with content, in the order of the hits (recall.md 1.3.6).
 */
async function foundRows(
  { store }: Pick<Daemon, 'store'>,
  hits: readonly ChannelHit[],
  { boundary, filter, limit }: { boundary: ReadBoundary; filter: MemoryFilter; limit: number },
): Promise<(MemorySearchResult & { score: number })[]> {
  const { memories } = store.tables
  const idsOf = (some: readonly ChannelHit[]) => some.map(({ id }) => id)
  const allowed = await memories.authorize(idsOf(hits), boundary, filter)
  const best = hits.filter(({ id }) => allowed.has(id)).slice(0, limit)
  const shown = await memories.loadListable(idsOf(best), boundary, filter)
  const rows = new Map(shown.map(row => [row.id, row]))
  return best.flatMap(({ id, score }) => {
    const row = rows.get(id)
    return row ? [{ ...toListedMemory(row), project: row.project, score: Number(score.toFixed(4)) }] : []
  })
}

async function keywordHits(
  { index, projects }: Deps,
  {
    text,
    boundary,
    filter,
    depth,
  }: { text: string; boundary: ReadBoundary; filter: MemoryFilter; depth: number },
): Promise<ChannelHit[]> {
  const { keyword } = await index.search({ text, filter: toIndexFilter(boundary, filter, projects), depth })
  return keyword
}

/**
 * Returns the memories with vectors nearest to that of one memory, without that memory; `score` is the cosine
 * (rules.md#searches-and-vectors).
 * @throws AppError `not_found` without such a memory, `no_embedding` when the active model has no vector of
 * it.
 */
async function similar(
  deps: Pick<Daemon, 'store' | 'index' | 'projects' | 'embedder'>,
  caller: Caller,
  query: SimilarQuery,
): Promise<SimilarReply> {
  const { memories, vectors } = deps.store.tables
  const anchor = await memories.find(query.id, await readBoundary(deps, caller, query))
  if (!anchor || anchor.is_deleted === 1) throw noMemory(query.id)
  const vector = (await vectors.of([anchor.id], deps.embedder().status())).get(anchor.id)
  if (!vector)
    throw new AppError(
      'no_embedding',
      `memory ${anchor.id} has no vector of the active embedding model; see /api/embeddings/status`,
    )
  const boundary = await recallBoundary(deps, caller, query)
  const filter = toFilter({ type: query.type, scope: anchor.scope })
  const { vector: hits } = await deps.index.search({
    text: '',
    vector,
    filter: toIndexFilter(boundary, filter, deps.projects),
    depth: query.k + spareHits,
  })
  const others = hits.filter(({ id }) => id !== anchor.id)
  return { results: await foundRows(deps, others, { boundary, filter, limit: query.k }) }
}
