import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { MemoryEntry, MemoryEntryFilter } from '../../../store/index/collections/memories.js'
import type { Store } from '../../../store/store.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import { createLiveMemories, toEntry } from './memory-entries.js'
import type { MemoryIndex } from './memory-index.js'
import { MovableIndex } from './movable-index.js'
import { startIndexThread } from './threaded-index.js'

export interface OpenOptions {
  store: Pick<Store, 'tables'>
  paths: Pick<WorkspacePaths, 'database' | 'snapshot'>
  log: Logger
  /** From so many entries on the index has a thread of its own. */
  threadFrom: number
}

/** Empty until `use`. Its functions may be handed on by themselves. */
export function openMemoryIndex({ store, paths, log, threadFrom }: OpenOptions): MemoryIndex {
  const index = new MovableIndex({
    openHere: () => createLiveMemories({ store, file: paths.snapshot, log }),
    openThread: onDeath =>
      startIndexThread<IndexedMemory, MemoryEntry, MemoryEntryFilter>({
        collection: 'memories',
        database: paths.database,
        snapshot: paths.snapshot,
        log,
        onDeath,
      }),
    hasAtLeast: store.tables.memories.hasAtLeast,
    threadFrom,
    log,
  })
  return {
    upsert: (row, hints, holders) => index.upsert(toEntry(row, hints, holders)),
    restore: (...rows) => index.apply(rows),
    setVector: (id, vector) => index.setVector(id, vector),
    remove: id => index.remove(id),
    search: query => index.search(query),
    stats: () => index.stats(),
    settled: () => index.settled(),
    use: model => index.use(model),
    check: (after, limit) => index.check(after, limit),
    lacking: (what, ids) => index.lacking(what, ids),
    rebuild: () => index.rebuild(),
    close: () => index.close(),
  }
}
