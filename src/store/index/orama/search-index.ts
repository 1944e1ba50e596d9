import type { Entry } from '../collection.js'
import type { FoundHits, PackedHits } from '../packed/packed-hits.js'
import type { IndexQuery, IndexStats } from '../search.js'
import type { ShardSearch } from '../shards/shard.js'

/**
 * State of an entry. `missing`: not indexed; `stale`: older than its row; `drifted`: its text now yields
 * other words.
 */
export type EntryState = 'missing' | 'stale' | 'drifted' | 'same'

/**
 * The derived hybrid index over one collection: BM25 over words, BM25 over hints, vectors. SQLite is the
 * record of truth; the index can always be rebuilt from it.
 */
export interface SearchIndex<E extends Entry, Filter> {
  /** Inserts or replaces one entry; a known vector stays until `setVector` or `remove`. */
  upsert(entry: E): void
  /**
   * Adds or replaces the vector of a known entry. @throws RangeError when its length differs from
   * `dimensions`.
   */
  setVector(id: string, vector: Float32Array): void
  /** @returns false when the id is unknown. */
  remove(id: string): boolean
  has(id: string): boolean
  /** Change sequence of a known entry's row. */
  changeOf(id: string): number | undefined
  /** Compares the indexed entry with the given one. */
  compare(entry: E): EntryState
  hasVector(id: string): boolean
  /** Candidates by channel, best first. Works in slices and never blocks the event loop for long. */
  search(query: IndexQuery<Filter>): Promise<FoundHits>
  /** Like `search`, in the form for `unpackHits`. */
  searchPacked(query: IndexQuery<Filter>): Promise<PackedHits>
  /**
   * Begins a search of this index as one shard of several. @param isComplete false while it is filled.
   * @throws RangeError for a collection that has no shards
   */
  beginShard(filter: Filter | undefined, isComplete: () => boolean): ShardSearch
  stats(): IndexStats
  /**
   * Writes a snapshot of this moment, atomically; the index may change in the meantime.
   * @returns its size in bytes.
   */
  save(file: string): Promise<number>
  /** Releases open resources; the index must not be used afterwards. */
  close(): Promise<void>
}
