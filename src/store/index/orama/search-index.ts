import type { Entry } from '../collection.js'
import type { FoundHits, PackedHits } from '../packed/packed-hits.js'
import type { IndexQuery, IndexStats } from '../search.js'

/** `missing`: not there; `stale`: by the words of before its last change; `drifted`: by other words than its text gives now. */
export type Standing = 'missing' | 'stale' | 'drifted' | 'same'

/**
 * The derived hybrid index over the entries of one collection: BM25 over words, BM25 over hints, vectors. SQLite is
 * the record of truth; this can always be rebuilt from it.
 */
export interface SearchIndex<E extends Entry, Filter> {
  /** Inserts or replaces one entry; a known vector stays until `setVector` or `remove`. */
  upsert(entry: E): void
  /** Adds or replaces the vector of a known entry. @throws RangeError when its length differs from `dimensions`. */
  setVector(id: string, vector: Float32Array): void
  /** @returns false when the id is unknown. */
  remove(id: string): boolean
  has(id: string): boolean
  /** Change sequence of the row that a known entry was made from. */
  changeOf(id: string): number | undefined
  /** What the index holds of an entry beside what it is to hold. */
  compare(entry: E): Standing
  hasVector(id: string): boolean
  /** Candidates by channel, best first. Bounded work per slice: never holds the event loop for long. */
  search(query: IndexQuery<Filter>): Promise<FoundHits>
  /** The same as `unpackHits` takes it. */
  searchPacked(query: IndexQuery<Filter>): Promise<PackedHits>
  stats(): IndexStats
  /**
   * Writes a snapshot of this moment to a file, which appears whole or not at all. Changes may go on meanwhile.
   * @returns its size in bytes.
   */
  save(file: string): Promise<number>
  /** Lets go of what it holds open; nothing is asked of it any more. */
  close(): Promise<void>
}
