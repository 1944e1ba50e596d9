import type { Entry } from '../../../store/index/collection.js'
import type { PackedHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog } from './index-source.js'
import type { IndexCheck, IndexPart, LiveStats } from './live-index.js'

/** What the thread of an index is started with. */
export interface IndexThreadSetup {
  collection: 'memories' | 'artifacts' | 'transcripts'
  /** File of the record of truth, which the thread reads by itself. */
  database: string
  snapshot: string
  /** Where entries go that memory is too small for, in a collection that has that. */
  segments?: string | undefined
}

/** What a thread is begun with before it is known what it is for: `begin` tells that, before anything else. */
export interface IndexThreadAhead {
  /** The snapshot of memories, which it reads meanwhile. */
  ahead: string
  /** The value of SERVICE_INDEX_THREAD: of fewer rows than have a thread it reads nothing. */
  choice?: string | undefined
}

/** What the thread is asked, and its answers; rows and filters are those of its collection. */
export interface IndexCalls {
  search(query: IndexQuery<unknown>): PackedHits
  apply(rows: readonly unknown[]): void
  stats(): LiveStats
  settled(): void
  use(model: VectorModel): void
  check(after: number, limit: number): IndexCheck
  lacking(what: IndexPart, ids: readonly string[]): string[]
  rebuild(): void
  save(): void
  close(): void
}
export type IndexCall = keyof IndexCalls

/** Changes are told, calls are answered; both are taken in the order in which they were sent. */
export type IndexRequest =
  | { type: 'upsert'; entry: Entry }
  | { type: 'vector'; id: string; vector: Float32Array }
  | { type: 'remove'; id: string }
  | { type: 'call'; call: number; name: IndexCall; given: readonly unknown[] }
  | { type: 'begin'; setup: IndexThreadSetup }

/** `up` comes once, before all others: the thread runs. */
export type IndexReply =
  | { type: 'up' }
  | { type: 'answer'; call: number; answer: unknown }
  | { type: 'error'; call: number; error: Error }
  | { type: 'log'; level: keyof IndexLog; fields: object; text: string }
