import { AppError } from '../../../contract/ground/errors.js'
import type { SimilarQuery, SimilarReply } from '../../../contract/memory/search.js'
import { readBoundary, recallBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { toFilter, toIndexFilter } from '../recall/search/filter.js'
import { noMemory } from '../records/record.js'
import { foundRows, spareHits } from './keyword-search.js'

/**
 * The memories whose vectors are nearest to that of one memory, which is left out; `score` is the cosine
 * (rules.md#searches-and-vectors).
 * @throws AppError `not_found` without such a memory, `no_embedding` when the model in force has made no vector of it.
 */
export async function similar(
  deps: Pick<Daemon, 'store' | 'index' | 'embedder'>,
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
      `memory ${anchor.id} has no vector of the embedding model in force; see /api/embeddings/status`,
    )
  const boundary = await recallBoundary(deps, caller, query)
  const filter = toFilter({ type: query.type, scope: anchor.scope })
  const { vector: hits } = await deps.index.search({
    text: '',
    vector,
    filter: toIndexFilter(boundary, filter),
    depth: query.k + spareHits,
  })
  const others = hits.filter(({ id }) => id !== anchor.id)
  return { results: await foundRows(deps, others, { boundary, filter, limit: query.k }) }
}
