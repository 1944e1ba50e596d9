import { sourceKinds } from '../../../contract/knowledge/sources/source-record.js'
import type { PassageSearchResult, SearchSourcesBody } from '../../../contract/knowledge/sources/sources.js'
import { chunkType, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { recallBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { keepRelevant } from '../../memory/recall/ranking/confidence.js'
import { noteRecalledSources } from '../../memory/recall/reply/events.js'
import { embedQuery } from '../../memory/recall/search/embed-query.js'
import { artifactFilter, findArtifacts } from '../../memory/recall/search/find-artifacts.js'
import { findCandidates } from '../../memory/recall/search/find-candidates.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'projects' | 'artifactIndex' | 'embedder' | 'clock' | 'log'> &
  Parameters<typeof noteRecalledSources>[0]

/** The kind name of documents in results. */
const documentKind = 'document'

/**
 * Finds passages of documents and sources for a query, best first, within the caller's boundary
 * (sources.md#finding).
 */
export async function searchSources(
  deps: Deps,
  caller: Caller,
  body: SearchSourcesBody,
): Promise<{ results: PassageSearchResult[]; count: number }> {
  const boundary = await recallBoundary(deps, caller, body)
  const { kind, sourceId } = body
  const ofSource = sourceId ? isSourceId(sourceId) : undefined
  const inDocuments = (!kind || kind === documentKind) && ofSource !== true
  const inArtifacts = kind !== documentKind && ofSource !== false
  const [documents, artifacts] = await Promise.all([
    inDocuments ? documentPassages(deps, boundary, body) : [],
    inArtifacts ? artifactPassages(deps, boundary, body) : [],
  ])
  const results = [...documents, ...artifacts].sort((a, b) => b.score - a.score).slice(0, body.limit)
  const found = new Set(artifacts.map(({ sourceId }) => sourceId))
  await noteRecalledSources(
    deps,
    results.map(({ sourceId }) => sourceId).filter(id => found.has(id)),
  )
  return { results, count: results.length }
}

/** Source ids begin with their kind; document ids do not. */
function isSourceId(id: string): boolean {
  return sourceKinds.some(kind => id.startsWith(`${kind}:`))
}

async function documentPassages(
  deps: Deps,
  boundary: ReadBoundary,
  { query, limit, project, sourceId }: SearchSourcesBody,
): Promise<PassageSearchResult[]> {
  const filter = {
    types: [chunkType],
    scope: null,
    ...(project && { project }),
    ...(sourceId && { document: sourceId }),
  }
  const { rows, confidence } = await findCandidates(deps, { query, boundary, filter, limit })
  const best = keepRelevant(rows, confidence).slice(0, limit)
  const places = await deps.store.tables.documentChunks.placesOf(
    best.map(({ row }) => row),
    boundary,
  )
  return best.map(({ row, score }) => {
    const place = places.get(row.id)
    const id = place?.id ?? row.source_id ?? ''
    return {
      id: row.id,
      content: row.content,
      score,
      kind: documentKind,
      sourceId: id,
      source_id: id,
      title: place?.title ?? null,
      heading: place?.heading ?? null,
      page: place?.page ?? null,
      sourcePath: row.source_path,
      source_path: row.source_path,
      url: null,
      project: row.project,
      createdAt: row.created_at,
    }
  })
}

/** Sources belong to no project: with a project filter they are searched by keywords only. */
async function artifactPassages(
  deps: Deps,
  boundary: ReadBoundary,
  { query, limit, project, sourceId, kind }: SearchSourcesBody,
): Promise<PassageSearchResult[]> {
  const agents = await deps.store.tables.sources.agentsWithin(boundary)
  const narrowed = artifactFilter(boundary, {}, agents)
  if (!narrowed) return []
  const asked = project ? {} : await embedQuery(deps, query)
  const filter = { ...narrowed, ...(sourceId && { sourceId }), ...(kind && { kind }) }
  const { rows, confidence } = await findArtifacts(deps, { query, ...asked, filter, limit })
  return keepRelevant(rows, confidence)
    .slice(0, limit)
    .map(({ id, chunk, score }) => ({
      id,
      content: chunk.text,
      score,
      kind: chunk.source_kind,
      sourceId: chunk.source_id,
      source_id: chunk.source_id,
      title: chunk.title,
      heading: chunk.heading,
      page: chunk.page,
      sourcePath: chunk.path,
      source_path: chunk.path,
      url: chunk.url,
      project: null,
      createdAt: chunk.source_updated_at ?? chunk.updated_at,
    }))
}
