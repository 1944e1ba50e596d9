import type { FoundPassage, SearchSourcesBody } from '../../../contract/knowledge/sources.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import { recallBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { findCandidates } from '../../memory/recall/find-candidates.js'
import { relevant } from '../../memory/recall/ranking/relevance.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'log'>

/** The kind under which documents are found. */
const documentKind = 'document'

/** Passages that answer a query, best first; of documents, whoever may read them (documents.md#finding). */
export async function searchSources(
  deps: Deps,
  caller: Caller,
  body: SearchSourcesBody,
): Promise<{ results: FoundPassage[]; count: number }> {
  if (body.kind && body.kind !== documentKind) return { results: [], count: 0 }
  const boundary = await recallBoundary(deps, caller, body)
  const filter = {
    types: [chunkType],
    scope: null,
    ...(body.project && { project: body.project }),
    ...(body.sourceId && { document: body.sourceId }),
  }
  const { found, confidence } = await findCandidates(deps, {
    query: body.query,
    boundary,
    filter,
    limit: body.limit,
  })
  const best = relevant(found, confidence).slice(0, body.limit)
  const places = await deps.store.tables.documentChunks.placesOf(
    best.map(({ row }) => row),
    boundary,
  )
  const results = best.map(({ row, score }) => {
    const place = places.get(row.id)
    return {
      id: row.id,
      content: row.content,
      score,
      kind: documentKind,
      sourceId: place?.id ?? row.source_id ?? '',
      source_id: place?.id ?? row.source_id ?? '',
      title: place?.title ?? null,
      heading: place?.heading ?? null,
      page: place?.page ?? null,
      sourcePath: row.source_path,
      source_path: row.source_path,
      project: row.project,
      createdAt: row.created_at,
    }
  })
  return { results, count: results.length }
}
