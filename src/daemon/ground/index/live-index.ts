import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../../lib/paths.js'
import type { Store } from '../../../store/database.js'
import type { IndexHits, IndexQuery } from '../../../store/index/memory-index.js'
import { unpackHits } from '../../../store/index/packed/packed-hits.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { IndexHome } from './index-home.js'
import type { LiveStats } from './live-documents.js'
import { createMemoryDocuments, toDocument } from './memory-documents.js'
import { startIndexThread } from './threaded-documents.js'

/** The index of memories with its life; see `LiveDocuments`. */
export interface LiveIndex {
  /** @param holders all but the first, which the row names. */
  upsert(row: IndexedMemory, hints: readonly string[], holders?: readonly Holder[]): void
  /** Puts a row back with everything that is stored of it. */
  restore(row: IndexedMemory): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  search(query: IndexQuery): Promise<IndexHits>
  stats(): Promise<LiveStats>
  /** Resolves once every change made before is in the index: who makes many waits for it now and then. */
  settled(): Promise<void>
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Stops a rebuild at its next slice, or saves what is complete. */
  close(): Promise<void>
}

export interface LiveIndexOptions {
  store: Pick<Store, 'tables'>
  paths: Pick<WorkspacePaths, 'database' | 'snapshot'>
  log: Logger
  /** From so many memories on the index has a thread of its own. */
  threadFrom: number
}

/** Fewer are searched sooner than a thread is asked, and a thread costs memory and the start of it time. */
const manyMemories = 20_000

/** @param choice the value of SERVICE_INDEX_THREAD: `always`, `never`; with any other the number decides. */
export function threadFromOf(choice: string | undefined): number {
  if (choice === 'always') return 0
  if (choice === 'never' || availableParallelism() === 1) return Number.POSITIVE_INFINITY
  return manyMemories
}

export function createLiveIndex({ store, paths, log, threadFrom }: LiveIndexOptions): LiveIndex {
  const home = new IndexHome({
    openHere: () => createMemoryDocuments({ store, file: paths.snapshot, log }),
    openThread: onDeath => startIndexThread({ ...paths, log, onDeath }),
    countAlive: store.tables.memories.countAlive,
    threadFrom,
    log,
  })
  return {
    upsert: (row, hints, holders) => home.upsert(toDocument(row, hints, holders)),
    restore: row => home.apply([row]),
    setVector: (id, vector) => home.setVector(id, vector),
    remove: id => home.remove(id),
    search: async query => unpackHits(await home.search(query)),
    stats: () => home.stats(),
    settled: () => home.settled(),
    use: model => home.use(model),
    close: () => home.close(),
  }
}
