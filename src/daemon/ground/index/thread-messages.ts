import type { Entry } from '../../../store/index/collection.js'
import type { PackedHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { ShardSearch } from '../../../store/index/shards/shard.js'
import type { ShardPlace } from '../../../store/index/shards/shard-of.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog } from './index-source.js'
import type { IndexCheck, IndexPart, LiveStats } from './live-index.js'

/** The setup of an index thread. */
export interface IndexThreadSetup {
  collection: 'memories' | 'artifacts' | 'transcripts'
  /** Database file, which the thread opens itself. */
  database: string
  snapshot: string
  /** Folder for entries that exceed memory, in collections that support it. */
  segments?: string | undefined
  /** Only the rows of this shard, in collections that support it. */
  shard?: ShardPlace | undefined
}

/** The setup of a thread started ahead, before its purpose is known; `begin` must be its first message. */
export interface IndexThreadAhead {
  /** Snapshot of memories to read ahead. */
  ahead: string
  /** The value of SERVICE_INDEX_THREAD: a store too small for a thread is not read ahead. */
  choice?: string | undefined
}

/** Calls to the thread and their results; rows and filters are those of its collection. */
export interface IndexCalls {
  search(query: IndexQuery<unknown>): PackedHits
  apply(rows: readonly unknown[]): void
  catchUp(after: number): void
  shard(step: ShardStep, given: readonly unknown[]): unknown
  stats(): LiveStats
  settled(): void
  use(model: VectorModel): void
  check(after: number, limit: number): IndexCheck
  lacking(what: IndexPart, ids: readonly string[]): string[]
  rebuild(): void
  save(): void
  close(): void
}
/** Steps of a search of one shard; `begin` also has the filter. A thread has one such search at a time. */
export type ShardStep = keyof ShardSearch
export type IndexCall = keyof IndexCalls

/** A change of the index, which is not answered. */
export type IndexChange =
  | { type: 'upsert'; entry: Entry }
  | { type: 'vector'; id: string; vector: Float32Array }
  | { type: 'remove'; id: string; before?: number | undefined }

/** Processed in the order sent. */
export type IndexRequest =
  | { type: 'changes'; changes: readonly IndexChange[] }
  | { type: 'call'; call: number; name: IndexCall; given: readonly unknown[] }
  | { type: 'begin'; setup: IndexThreadSetup }

/** `up` is the first message: the thread runs. */
export type IndexReply =
  | { type: 'up' }
  | { type: 'answer'; call: number; answer: unknown }
  | { type: 'error'; call: number; error: Error }
  | { type: 'log'; level: keyof IndexLog; fields: object; text: string }
