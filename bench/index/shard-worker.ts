import { parentPort } from 'node:worker_threads'
import { type MemoryEntry, type MemoryEntryFilter, memories } from '../../src/store/index/collections.js'
import { PackedIndex } from '../../src/store/index/orama/packed-index.js'
import { joinTexts } from '../../src/store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../src/store/index/search.js'
import type { ShardSearch } from '../../src/store/index/shards/shard.js'

/** A call from the measuring thread; `step` is one of a `ShardSearch`. */
export interface WorkerCall {
  call: number
  name: 'fill' | 'search' | 'step' | 'save' | 'load' | 'stats'
  given: readonly unknown[]
}

const exact = new Map<string, Float32Array>()
const open = (): PackedIndex<MemoryEntry, MemoryEntryFilter> =>
  new PackedIndex(memories, {
    dimensions: null,
    loadVectors: async ids => new Map(ids.map(id => [id, exact.get(id)!])),
  })
const held = { index: open(), search: undefined as ShardSearch | undefined }

const answers: Record<WorkerCall['name'], (...given: never[]) => unknown> = {
  fill: (entries: MemoryEntry[], vectors: Float32Array[]) => {
    for (const [at, entry] of entries.entries()) {
      exact.set(entry.id, vectors[at]!)
      held.index.upsert(entry)
      held.index.setVector(entry.id, vectors[at]!)
    }
  },
  search: async (query: IndexQuery<MemoryEntryFilter>) => joinTexts(await held.index.searchPacked(query)),
  step: (name: keyof ShardSearch, given: readonly unknown[]) => {
    if (name === 'begin') held.search = held.index.beginShard(undefined, () => true)
    return (held.search![name] as (...given: readonly unknown[]) => unknown)(...given)
  },
  save: (file: string) => held.index.save(file),
  load: async (file: string) => {
    held.index = open()
    await held.index.load(file)
  },
  stats: () => held.index.stats(),
}

parentPort!.on('message', async ({ call, name, given }: WorkerCall) => {
  parentPort!.postMessage({ call, answer: await answers[name](...(given as never[])) })
})
