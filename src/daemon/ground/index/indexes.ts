import type {
  ArtifactEntry,
  ArtifactEntryFilter,
  MemoryEntry,
  MemoryEntryFilter,
} from '../../../store/index/collections.js'
import type { FoundHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { Store } from '../../../store/store.js'
import type { SourceChunkToIndex } from '../../../store/tables/knowledge/source-chunks.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { createLiveArtifacts } from './artifact-entries.js'
import type { IndexLog } from './index-source.js'
import type { IndexCheck, IndexPart, LiveStats } from './live-index.js'
import { createLiveMemories } from './memory-entries.js'
import { MovableIndex } from './movable-index.js'
import { openShards, removeOtherShards } from './sharded-index.js'
import { startIndexThread } from './threaded-index.js'

/** The index of memories for use cases, in this or another thread; see `LiveIndex`. */
export interface MemoryIndex {
  /** Indexes an entry that the caller built from a row; see `toEntry`. */
  upsert(entry: MemoryEntry): void
  /** Indexes rows in their current state, with everything stored for them. */
  apply(rows: readonly IndexedMemory[]): Promise<void>
  /** Indexes rows that were changed after a change, by anyone. */
  catchUp(after: number): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  /** Announces many new entries, for which a small index moves to its thread at once. */
  expect(entries: number): void
  search(query: IndexQuery<MemoryEntryFilter>): Promise<FoundHits>
  stats(): Promise<LiveStats>
  /** Resolves once all earlier changes are indexed; await it between many changes. */
  settled(): Promise<void>
  /** Switches to the vectors of this model; resolves once every stored row is indexed. */
  use(model: VectorModel): Promise<void>
  /** Compares rows with their entries and returns those with missing or wrong entries; see `LiveIndex`. */
  check(after: number, limit: number): Promise<IndexCheck>
  lacking(what: IndexPart, ids: readonly string[]): Promise<string[]>
  /** Rebuilds the index from SQLite; resolves once every stored row is indexed. */
  rebuild(): Promise<void>
  /** Stops a rebuild at its next slice, or saves a complete index. */
  close(): Promise<void>
}

export interface MemoryIndexOptions {
  store: Pick<Store, 'tables'>
  database: string
  /** Path of the snapshot. */
  snapshot: string
  log: IndexLog
  /** From this number of entries on the index runs in its own thread. */
  threadFrom: number
  /** Threads that share a large index, each with a shard. */
  threads: number
}

/** The index of artifacts for use cases, in this or another thread; see `LiveIndex`. */
export interface ArtifactIndex {
  /** Indexes the current state of chunks with their vectors; removes those that must not be found. */
  apply(rows: readonly SourceChunkToIndex[]): Promise<void>
  /** Indexes rows that were changed after a change, by anyone. */
  catchUp(after: number): Promise<void>
  setVector(id: string, vector: Float32Array): void
  search(query: IndexQuery<ArtifactEntryFilter>): Promise<FoundHits>
  stats(): Promise<LiveStats>
  /** Switches to the vectors of this model; resolves once every stored chunk is indexed. */
  use(model: VectorModel): Promise<void>
  close(): Promise<void>
}

export interface ArtifactIndexOptions {
  store: Pick<Store, 'tables'>
  database: string
  /** Path of the snapshot. */
  snapshot: string
  log: IndexLog
  /** From this number of chunks on the index runs in its own thread. */
  threadFrom: number
}

/** Empty until `use`. */
export function openMemoryIndex({
  store,
  database,
  snapshot,
  log,
  threadFrom,
  threads,
}: MemoryIndexOptions): MemoryIndex {
  removeOtherShards(snapshot, threads, log)
  return new MovableIndex<IndexedMemory, MemoryEntry, MemoryEntryFilter>({
    openHere: () => createLiveMemories({ store, file: snapshot, log }),
    openThread: onDeath => {
      const thread = { collection: 'memories' as const, database, snapshot, log, onDeath }
      const { countAlive } = store.tables.memories
      return threads === 1 ? startIndexThread(thread) : openShards({ ...thread, threads, countAlive })
    },
    hasAtLeast: store.tables.memories.hasAtLeast,
    threadFrom,
    log,
  })
}

/** Empty until `use`. */
export function openArtifactIndex({
  store,
  database,
  snapshot,
  log,
  threadFrom,
}: ArtifactIndexOptions): ArtifactIndex {
  return new MovableIndex<SourceChunkToIndex, ArtifactEntry, ArtifactEntryFilter>({
    openHere: () => createLiveArtifacts({ store, file: snapshot, log }),
    openThread: onDeath => startIndexThread({ collection: 'artifacts', database, snapshot, log, onDeath }),
    hasAtLeast: store.tables.sourceChunks.hasAtLeast,
    threadFrom,
    log,
  })
}
