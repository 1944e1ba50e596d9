import * as importContract from '../../../contract/knowledge/sources/source-import.js'
import * as kindContract from '../../../contract/knowledge/sources/source-kinds.js'
import { sourceKinds } from '../../../contract/knowledge/sources/source-record.js'
import * as snapshotContract from '../../../contract/knowledge/sources/source-snapshot.js'
import type { PassageSearchResult, SearchSourcesBody } from '../../../contract/knowledge/sources/sources.js'
import * as contract from '../../../contract/knowledge/sources/sources.js'
import { chunkType, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { recallBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { keepRelevant } from '../../memory/recall/ranking/confidence.js'
import { noteRecalledSources } from '../../memory/recall/reply/events.js'
import { embedQuery } from '../../memory/recall/search/embed-query.js'
import { artifactFilter, findArtifacts } from '../../memory/recall/search/find-artifacts.js'
import { findCandidates } from '../../memory/recall/search/find-candidates.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { pauseSource, removeSource, resumeSource, syncSource } from './core/control-source.js'
import { findSource, listSources } from './core/find-source.js'
import { artifactRecordOf, sourceRecordOf, sourceRecordsOf } from './core/source-record.js'
import { addGuild } from './discord/discord.js'
import { importFiles } from './file-import/import-files.js'
import { addRepos } from './github/github.js'
import { addVault } from './obsidian/obsidian.js'
import { exportSnapshot, importSnapshot } from './snapshot.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'projects' | 'artifactIndex' | 'embedder' | 'clock' | 'log'> &
  Parameters<typeof noteRecalledSources>[0]

/** The kind name of documents in results. */
const documentKind = 'document'

export const routes = [
  route(contract.listSources, async (daemon, { caller, query }) => {
    const rows = await listSources(daemon, caller, query)
    return { version: 1 as const, sources: await sourceRecordsOf(daemon, rows) }
  }),
  route(contract.searchSources, (daemon, { caller, body }) => searchSources(daemon, caller, body)),
  route(importContract.importFiles, (daemon, { caller, body, files, untilGone }) =>
    importFiles(daemon, caller, { body, files, signal: untilGone() }),
  ),
  route(kindContract.addVault, (daemon, { caller, body }) => addVault(daemon, caller, body)),
  route(kindContract.addRepo, (daemon, { caller, body }) => addRepos(daemon, caller, body)),
  route(kindContract.addGuild, (daemon, { caller, body }) => addGuild(daemon, caller, body)),
  route(contract.getSource, async (daemon, { caller, params, query }) =>
    sourceRecordOf(daemon, await findSource(daemon, caller, { id: params.sourceId, named: query })),
  ),
  route(contract.getSourceHealth, async (daemon, { caller, params, query }) => {
    const row = await findSource(daemon, caller, { id: params.sourceId, named: query })
    const source = await sourceRecordOf(daemon, row)
    return { source, stats: source.stats, health: source.health }
  }),
  route(contract.listArtifacts, async (daemon, { caller, params, query: { limit, offset, ...named } }) => {
    const row = await findSource(daemon, caller, { id: params.sourceId, named })
    const artifacts = await daemon.store.tables.sourceArtifacts.list(row.id, { limit, offset })
    return { artifacts: artifacts.map(artifactRecordOf), total: row.artifacts, limit, offset }
  }),
  route(snapshotContract.exportSnapshot, (daemon, { caller, params, query }) =>
    exportSnapshot(daemon, caller, { id: params.sourceId, query }),
  ),
  route(snapshotContract.importSnapshot, (daemon, { caller, params, query, body, untilGone }) =>
    importSnapshot(daemon, caller, { id: params.sourceId, query, body, signal: untilGone() }),
  ),
  route(contract.syncSource, (daemon, { caller, params, query, body }) =>
    syncSource(daemon, caller, { id: params.sourceId, named: query, full: body?.full ?? false }),
  ),
  route(contract.pauseSource, (daemon, { caller, params, query }) =>
    pauseSource(daemon, caller, { id: params.sourceId, named: query }),
  ),
  route(contract.resumeSource, (daemon, { caller, params, query }) =>
    resumeSource(daemon, caller, { id: params.sourceId, named: query }),
  ),
  route(contract.removeSource, (daemon, { caller, params, query }) =>
    removeSource(daemon, caller, { id: params.sourceId, named: query }),
  ),
]

/**
 * Finds passages of documents and sources for a query, best first, within the caller's boundary
 * (sources.md#finding).
 */
async function searchSources(
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
