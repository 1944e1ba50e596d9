import {
  type ArtifactEntry,
  type ArtifactEntryFilter,
  artifacts as artifactCollection,
} from '../../../store/index/collections/artifacts.js'
import type { Store } from '../../../store/store.js'
import type { ChunkPlace, SourceChunkToIndex } from '../../../store/tables/knowledge/source-chunks.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog, SourceEntry } from './index-source.js'
import { createLiveIndex, type LiveIndex } from './live-index.js'

/** The index of artifacts with its life, in whichever thread. */
export type LiveArtifacts = LiveIndex<SourceChunkToIndex, ArtifactEntry, ArtifactEntryFilter>

export interface LiveArtifactsOptions {
  store: Pick<Store, 'tables'>
  /** Where the snapshot is. */
  file: string
  log: IndexLog
}

/** The index of artifacts in this thread. */
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
      loadVectors: (ids, model) => vectorsOf(store, ids.map(placeOf), model),
    },
  })
}

/** What the index knows a chunk by. */
export function chunkEntryId({ artifact_id, chunk }: ChunkPlace): string {
  return `${artifact_id}#${chunk}`
}

/** The chunk behind an id of the index. */
export function placeOf(id: string): ChunkPlace {
  const hash = id.lastIndexOf('#')
  return { artifact_id: id.slice(0, hash), chunk: Number(id.slice(hash + 1)) }
}

/** Title and headings in front of the text of a chunk: what its vector is made of, and the index gets. */
export function chunkWithPath({
  title,
  heading,
  text,
}: Pick<SourceChunkToIndex, 'title' | 'heading' | 'text'>): string {
  const path = [title, heading].filter(Boolean).join(' > ')
  return path === '' || path === text ? text : `${path}\n${text}`
}

/** What the index is to hold of a chunk; undefined for what it must not. */
export function toArtifactEntry(row: SourceChunkToIndex): ArtifactEntry | undefined {
  if (row.alive === 0 || row.agent_id === null || row.source_kind === null) return undefined
  // Further names stand with the beginning: once for each artifact is enough to find it by them.
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
  places: readonly ChunkPlace[],
  model: VectorModel,
): Promise<Map<string, Float32Array>> {
  const rows = await tables.sourceChunks.vectorsOf(places, model)
  return new Map(rows.map(row => [chunkEntryId(row), row.vector]))
}
