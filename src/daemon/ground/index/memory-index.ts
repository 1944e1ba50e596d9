import type { MemoryEntry, MemoryEntryFilter } from '../../../store/index/collections/memories.js'
import type { FoundHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { Store } from '../../../store/store.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog } from './index-source.js'
import type { IndexCheck, IndexPart, LiveStats } from './live-index.js'
import { createLiveMemories } from './memory-entries.js'
import { MovableIndex } from './movable-index.js'
import { startIndexThread } from './threaded-index.js'

/** The index of memories as use cases see it, wherever it lives; see `LiveIndex`. */
export interface MemoryIndex {
  /** Takes an entry that the caller made of a row; see `toEntry`. */
  upsert(entry: MemoryEntry): void
  /** Brings rows in as they are now, with everything that is stored of them. */
  apply(rows: readonly IndexedMemory[]): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  search(query: IndexQuery<MemoryEntryFilter>): Promise<FoundHits>
  stats(): Promise<LiveStats>
  /** Resolves once every change made before is in the index; await it between many changes. */
  settled(): Promise<void>
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Compares rows with their entries, and names the rows whose entries are missing or wrong; see `LiveIndex`. */
  check(after: number, limit: number): Promise<IndexCheck>
  lacking(what: IndexPart, ids: readonly string[]): Promise<string[]>
  /** Fills it from SQLite once more; resolves once every stored row is in it. */
  rebuild(): Promise<void>
  /** Stops a rebuild at its next slice, or saves what is complete. */
  close(): Promise<void>
}

export interface MemoryIndexOptions {
  store: Pick<Store, 'tables'>
  database: string
  /** Where the snapshot is. */
  snapshot: string
  log: IndexLog
  /** From so many entries on the index has a thread of its own. */
  threadFrom: number
}

/** Empty until `use`. */
export function openMemoryIndex({
  store,
  database,
  snapshot,
  log,
  threadFrom,
}: MemoryIndexOptions): MemoryIndex {
  return new MovableIndex<IndexedMemory, MemoryEntry, MemoryEntryFilter>({
    openHere: () => createLiveMemories({ store, file: snapshot, log }),
    openThread: onDeath => startIndexThread({ collection: 'memories', database, snapshot, log, onDeath }),
    hasAtLeast: store.tables.memories.hasAtLeast,
    threadFrom,
    log,
  })
}
