import { basename } from 'node:path'
import type { SourceChunkToIndex } from '../../../../store/tables/knowledge/source-chunks.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import { manifestKind, withoutFence } from '../../files/manifest-kind.js'
import type { EvidenceDeps, ManifestText } from './evidence.js'

/** Returns the clean manifests to which some chunks of artifacts belong. */
export async function manifestsOfArtifacts(
  { store: { tables } }: EvidenceDeps,
  chunks: readonly Pick<SourceChunkToIndex, 'artifact_id' | 'agent_id'>[],
): Promise<ManifestText[]> {
  const manifests: ManifestText[] = []
  for (const [id, agentId] of new Map(chunks.map(chunk => [chunk.artifact_id, chunk.agent_id]))) {
    const row = agentId === null ? undefined : await tables.sourceArtifacts.ofAgent(agentId, id)
    const text = row?.safety_status === 'clean' ? await tables.sourceArtifacts.textOf(id) : undefined
    if (agentId === null || row === undefined || text === undefined) continue
    const place = { fileName: basename(row.path), root: row.path, project: null }
    manifests.push({ ...place, agentId, text, parts: [{ sourceKind: 'artifact', sourceId: id, text }] })
  }
  return manifests
}

/** Returns the manifests to which some passages of documents belong. */
export async function manifestsOfChunks(
  deps: EvidenceDeps,
  rows: readonly MemoryRow[],
): Promise<ManifestText[]> {
  const documents = rows.flatMap(({ type, is_deleted, source_id, source_path }) =>
    type === chunkType && is_deleted === 0 && source_id && manifestKind(source_path ?? '') ? [source_id] : [],
  )
  const manifests: ManifestText[] = []
  for (const id of new Set(documents)) manifests.push(...(await manifestOfDocument(deps, id)))
  return manifests
}

const pageRows = 200

/**
 * Returns the manifest that a document is. Its passages are parts of a code block, cut between lines
 * (documents.md#chunks). A document that is being read follows with an attention.
 */
export async function manifestOfDocument(
  { store: { tables } }: EvidenceDeps,
  id: string,
): Promise<ManifestText[]> {
  const row = await tables.documents.load(id)
  if (row?.status !== 'done' || !row.source_url || !manifestKind(row.source_url)) return []
  const chunks = await tables.documentChunks.page(id, -1, pageRows)
  const loaded = new Map(
    (await tables.memories.load(chunks.map(chunk => chunk.id))).map(memory => [memory.id, memory]),
  )
  if (chunks.some(chunk => loaded.get(chunk.id)?.safety_status !== 'clean')) return []
  return [
    {
      agentId: row.agent_id,
      project: row.project,
      fileName: basename(row.source_url),
      root: row.source_url,
      text: chunks.map(({ content }) => withoutFence(content)).join('\n'),
      parts: chunks.map(chunk => ({ sourceKind: 'memory', sourceId: chunk.id, text: chunk.content })),
    },
  ]
}
