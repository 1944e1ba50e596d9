import {
  type ArtifactEntry,
  type ArtifactEntryFilter,
  artifacts as artifactCollection,
} from '../../../store/index/collections.js'
import type { Store } from '../../../store/store.js'
import type { PassageKey, SourceChunkToIndex } from '../../../store/tables/knowledge/source-chunks.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog, SourceEntry } from './index-source.js'
import { createLiveIndex, type LiveIndex } from './live-index.js'

/** The index of artifacts, kept current, in any thread. */
export type LiveArtifacts = LiveIndex<SourceChunkToIndex, ArtifactEntry, ArtifactEntryFilter>

export interface LiveArtifactsOptions {
  store: Pick<Store, 'tables'>
  /** Path of the snapshot. */
  file: string
  log: IndexLog
}

/** Creates the index of artifacts in this thread. */
export function createLiveArtifacts({ store, file, log }: LiveArtifactsOptions): LiveArtifacts {
  const { meta, sourceChunks } = store.tables
  return createLiveIndex({
    collection: artifactCollection,
    file,
    log,
    source: {
      lastChange: meta.lastChange,
      countAlive: sourceChunks.countAlive,
      beforeChange: sourceChunks.beforeChange,
      afterChange: sourceChunks.afterChange,
      entries: (rows, model) => entriesOf(store, rows, model),
      loadVectors: (ids, model) => vectorsOf(store, ids.map(parseChunkEntryId), model),
    },
  })
}

/** The id of a chunk in the index. */
export function chunkEntryId({ artifact_id, chunk }: PassageKey): string {
  return `${artifact_id}#${chunk}`
}

/** Parses an index id into its chunk. */
export function parseChunkEntryId(id: string): PassageKey {
  const hash = id.lastIndexOf('#')
  return { artifact_id: id.slice(0, hash), chunk: Number(id.slice(hash + 1)) }
}

/** A chunk with title and headings: the text that is embedded and indexed. */
export function chunkWithPath({
  title,
  heading,
  text,
}: Pick<SourceChunkToIndex, 'title' | 'heading' | 'text'>): string {
  const path = [title, heading].filter(Boolean).join(' > ')
  return path === '' || path === text ? text : `${path}\n${text}`
}

/** Builds the index entry of a chunk; undefined if it must not be indexed. */
export function toArtifactEntry(row: SourceChunkToIndex): ArtifactEntry | undefined {
  if (row.alive === 0 || row.agent_id === null || row.source_kind === null) return undefined
  // Other names of the artifact are indexed once, with its first chunk.
  const names = row.chunk === 0 && row.names !== null ? (JSON.parse(row.names) as string[]) : []
  return {
    id: chunkEntryId(row),
    change: row.change,
    content: [...names, chunkWithPath(row)].join('\n'),
    agentId: row.agent_id,
    sourceId: row.source_id,
    kind: row.source_kind,
    who: row.author,
    updatedAt: row.source_updated_at === null ? 0 : Date.parse(row.source_updated_at),
  }
}

async function entriesOf(
  store: Pick<Store, 'tables'>,
  rows: readonly SourceChunkToIndex[],
  model: VectorModel,
): Promise<SourceEntry<ArtifactEntry>[]> {
  const vectors = await vectorsOf(store, rows, model)
  return rows.map(row => {
    const id = chunkEntryId(row)
    return { id, entry: toArtifactEntry(row), vector: vectors.get(id) }
  })
}

async function vectorsOf(
  { tables }: Pick<Store, 'tables'>,
  places: readonly PassageKey[],
  model: VectorModel,
): Promise<Map<string, Float32Array>> {
  const rows = await tables.sourceChunks.vectorsOf(places, model)
  return new Map(rows.map(row => [chunkEntryId(row), row.vector]))
}
