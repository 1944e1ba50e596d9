import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../../lib/paths.js'
import type { Store } from '../../../store/database.js'
import { createLiveMemories } from './memory-entries.js'
import { type MemoryIndex, MovableIndex } from './memory-index.js'
import { startIndexThread } from './threaded-index.js'

export interface OpenOptions {
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

/** Empty until `use`. Its functions may be handed on by themselves. */
export function openMemoryIndex({ store, paths, log, threadFrom }: OpenOptions): MemoryIndex {
  const index = new MovableIndex({
    openHere: () => createLiveMemories({ store, file: paths.snapshot, log }),
    openThread: onDeath => startIndexThread({ ...paths, log, onDeath }),
    countAlive: store.tables.memories.countAlive,
    threadFrom,
    log,
  })
  return {
    upsert: (row, hints, holders) => index.upsert(row, hints, holders),
    restore: row => index.restore(row),
    setVector: (id, vector) => index.setVector(id, vector),
    remove: id => index.remove(id),
    search: query => index.search(query),
    stats: () => index.stats(),
    settled: () => index.settled(),
    use: model => index.use(model),
    close: () => index.close(),
  }
}
