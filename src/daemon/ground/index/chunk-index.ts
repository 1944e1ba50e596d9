import type { IndexHits, IndexQuery } from '../../../store/index/search.js'
import type { LiveStats } from './live-index.js'

/** The index of long texts that were cut into numbered chunks: transcripts. Each text has the id of its body. */
export interface ChunkIndex<Filter> {
  /** Brings chunks of a body in as they are now: from a number on, before another if that is given. */
  update(bodyId: string, range: { from: number; to?: number }): Promise<void>
  search(query: IndexQuery<Filter>): Promise<IndexHits>
  stats(): Promise<LiveStats>
  /** Resolves once every chunk is in it. */
  fill(): Promise<void>
  close(): Promise<void>
}
