import type { MemoryEntryFilter } from '../../../store/index/collections/memories.js'
import type { FoundHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexCheck, IndexPart, LiveStats } from './live-index.js'

/** The index of memories as use cases see it, wherever it lives; see `LiveIndex`. */
export interface MemoryIndex {
  /** @param holders all but the first, which the row names. */
  upsert(row: IndexedMemory, hints: readonly string[], holders?: readonly Holder[]): void
  /** Puts rows back with everything that is stored of them. */
  restore(...rows: readonly IndexedMemory[]): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  search(query: IndexQuery<MemoryEntryFilter>): Promise<FoundHits>
  stats(): Promise<LiveStats>
  /** Resolves once every change made before is in the index; await it between many changes. */
  settled(): Promise<void>
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Compares rows with what it holds of them, and tells what is not there; see `LiveIndex`. */
  check(after: number, limit: number): Promise<IndexCheck>
  lacking(what: IndexPart, ids: readonly string[]): Promise<string[]>
  /** Fills it anew from SQLite; resolves once every stored row is in it. */
  rebuild(): Promise<void>
  /** Stops a rebuild at its next slice, or saves what is complete. */
  close(): Promise<void>
}
