import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { MemoryEntry, MemoryEntryFilter } from '../../../store/index/collections.js'
import type { PackedHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import { searchShards } from '../../../store/index/shards/search-shards.js'
import { type ShardPlace, shardOf } from '../../../store/index/shards/shard-of.js'
import { Analyzer } from '../../../store/index/words/analysis/analyzer.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { maxComparisons, overlap } from './index-build.js'
import type { IndexLog } from './index-source.js'
import { type IndexCheck, incomplete, type LiveIndex, type LiveStats } from './live-index.js'
import { type LiveMemories, shardOfRow } from './memory-entries.js'
import { IndexThreadDied, type IndexThreadOptions, startIndexThread } from './threaded-index.js'

export interface ShardedIndexOptions extends IndexThreadOptions {
  threads: number
  /** Number of rows in a complete index. */
  countAlive(): Promise<number>
}

/**
 * Opens the index of memories in several threads, each with the sessions of one shard. Searches ask all and
 * count words over all, so they find what one index finds. A shard whose thread ends is loaded again; until
 * then searches wait briefly and answer as incomplete. If it ends once more before that, all end.
 */
export function openShards(
  options: ShardedIndexOptions,
): LiveIndex<IndexedMemory, MemoryEntry, MemoryEntryFilter> {
  return new ShardedIndex(options)
}

/** Removes snapshots of other numbers of threads: they would keep words that were forgotten since. */
export function removeOtherShards(snapshot: string, threads: number, log: IndexLog): void {
  try {
    const name = basename(snapshot)
    for (const file of readdirSync(dirname(snapshot))) {
      const of = file.startsWith(`${name}.`) ? /-of-(\d{1,3})$/u.exec(file)?.[1] : undefined
      if (of !== undefined && Number(of) !== threads)
        rmSync(join(dirname(snapshot), file), { force: true, maxRetries: 5 })
    }
  } catch (error) {
    log.warn({ err: error }, 'old index snapshots not removed')
  }
}

function snapshotOf(snapshot: string, { shard, of }: ShardPlace): string {
  return `${snapshot}.${shard + 1}-of-${of}`
}

/** One shard in its thread, which is started again if it ends. */
class ThreadedShard {
  index: LiveMemories
  readonly #options: IndexThreadOptions
  #model: VectorModel | undefined
  #isFilled = false
  #filling: Promise<void> = Promise.resolve()

  constructor(options: IndexThreadOptions) {
    this.#options = options
    this.index = this.#start()
  }

  /** Resolves once every stored row of the shard is indexed. @throws IndexThreadDied if it can not be. */
  async use(model: VectorModel): Promise<void> {
    this.#model = model
    this.#filling = this.#fill(model)
    let filling: Promise<void> | undefined
    while (filling !== this.#filling) {
      filling = this.#filling
      await filling
    }
  }

  async #fill(model: VectorModel): Promise<void> {
    const { index } = this
    try {
      await index.use(model)
      this.#isFilled ||= index === this.index
    } catch (error) {
      // Another thread has taken over, and its filling is awaited.
      if (index === this.index) throw error
    }
  }

  #start(): LiveMemories {
    return startIndexThread<IndexedMemory, MemoryEntry, MemoryEntryFilter>({
      ...this.#options,
      onDeath: reason => this.#startAgain(reason),
    })
  }

  #startAgain(reason: Error): void {
    const { log, onDeath, shard } = this.#options
    if (!this.#isFilled || !this.#model) {
      onDeath(reason)
      return
    }
    log.warn({ err: reason, shard: shard?.shard }, 'index thread died; loading its shard again')
    this.#isFilled = false
    this.index = this.#start()
    this.#filling = this.#fill(this.#model)
    this.#filling.catch(error => log.warn({ err: error }, 'shard of the index not loaded'))
  }
}

class ShardedIndex implements LiveIndex<IndexedMemory, MemoryEntry, MemoryEntryFilter> {
  readonly #options: ShardedIndexOptions
  readonly #shards: readonly ThreadedShard[]
  readonly #analyzer = new Analyzer()
  // A thread holds the rows of one search at a time.
  readonly #inLine = oneAtATime()
  #isClosing = false

  constructor(options: ShardedIndexOptions) {
    this.#options = options
    const { snapshot, threads, onDeath } = options
    this.#shards = Array.from({ length: threads }, (_, shard) => {
      const place = { shard, of: threads }
      return new ThreadedShard({
        ...options,
        snapshot: snapshotOf(snapshot, place),
        shard: place,
        onDeath: reason => {
          if (this.#isClosing) return
          this.drop()
          onDeath(reason)
        },
      })
    })
  }

  upsert(entry: MemoryEntry): void {
    const own = shardOf(entry, this.#shards.length)
    for (const [at, index] of this.#all.entries())
      if (at === own) index.upsert(entry)
      else index.remove(entry.id, entry.change)
  }

  async apply(rows: readonly IndexedMemory[]): Promise<void> {
    const shards = rows.map(row => shardOfRow(row, this.#shards.length))
    await this.#each(async (index, at) => {
      for (const [place, { id, change }] of rows.entries()) if (shards[place] !== at) index.remove(id, change)
      await index.apply(rows.filter((_, place) => shards[place] === at))
    })
  }

  async catchUp(after: number): Promise<void> {
    await this.#each(index => index.catchUp(after))
  }

  /** The other shards do not know the entry. */
  setVector(id: string, vector: Float32Array): void {
    for (const index of this.#all) index.setVector(id, vector)
  }

  remove(id: string, before?: number): void {
    for (const index of this.#all) index.remove(id, before)
  }

  search({ filter, ...query }: IndexQuery<MemoryEntryFilter>): Promise<PackedHits> {
    return this.#inLine(async () => {
      const searches = await Promise.all(this.#all.map(index => index.beginShard(filter)))
      try {
        const hits = await searchShards(searches, query, this.#analyzer)
        return hits.complete ? hits : incomplete(hits)
      } finally {
        for (const search of searches) search.end()
      }
    })
  }

  async stats(): Promise<LiveStats> {
    const stats = await Promise.all(this.#all.map(index => index.stats()))
    const sum = (of: (one: LiveStats) => number): number => stats.reduce((total, one) => total + of(one), 0)
    return {
      entries: sum(({ entries }) => entries),
      vectors: sum(({ vectors }) => vectors),
      terms: sum(({ terms }) => terms),
      bytes: sum(({ bytes }) => bytes),
      change: Math.max(...stats.map(({ change }) => change)),
      saved: Math.min(...stats.map(({ saved }) => saved)),
      state: stats.every(({ state }) => state === 'ready') ? 'ready' : 'rebuilding',
    }
  }

  async settled(): Promise<void> {
    await this.#each(index => index.settled())
  }

  async use(model: VectorModel): Promise<void> {
    await Promise.all(this.#shards.map(shard => shard.use(model)))
    if (!(await this.#holdsAll())) {
      this.#options.log.warn({}, 'the index snapshots differ from the database; rebuilding the index')
      await this.rebuild()
    }
    // The snapshot of one index would keep words that are forgotten from now on.
    if (!this.#isClosing) rmSync(this.#options.snapshot, { force: true, maxRetries: 5 })
  }

  async check(after: number, limit: number): Promise<IndexCheck> {
    const checks = await Promise.all(this.#all.map(index => index.check(after, limit)))
    const next = checks.flatMap(check => check.next ?? [])
    return {
      rows: checks.reduce((sum, { rows }) => sum + rows, 0),
      missing: checks.flatMap(({ missing }) => missing),
      stale: checks.flatMap(({ stale }) => stale),
      drifted: checks.flatMap(({ drifted }) => drifted),
      strays: checks.flatMap(({ strays }) => strays),
      next: next.length > 0 ? Math.min(...next) : undefined,
    }
  }

  /** An id is lacking if no shard has it. */
  async lacking(...asked: Parameters<LiveMemories['lacking']>): Promise<string[]> {
    const [what, ids] = asked
    let left = [...ids]
    for (const index of this.#all) left = await index.lacking(what, left)
    return left
  }

  async rebuild(): Promise<void> {
    await Promise.all(this.#all.map(index => index.rebuild()))
  }

  async save(): Promise<void> {
    await Promise.all(this.#all.map(index => index.save()))
  }

  drop(): void {
    this.#isClosing = true
    for (const index of this.#all) index.drop()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(this.#all.map(index => index.close()))
  }

  get #all(): LiveMemories[] {
    return this.#shards.map(({ index }) => index)
  }

  /** A thread that was started again reads the rows that the one before it missed. */
  async #each(work: (index: LiveMemories, at: number) => Promise<void>): Promise<void> {
    await Promise.all(
      this.#all.map(async (index, at) => {
        try {
          await work(index, at)
        } catch (error) {
          if (!(error instanceof IndexThreadDied) || this.#all[at] === index) throw error
        }
      }),
    )
  }

  /** Another daemon or thread may write between the last change read and the count. */
  async #holdsAll(): Promise<boolean> {
    for (let looks = 0; looks < maxComparisons; looks++) {
      const { entries, change } = await this.stats()
      if (this.#isClosing || entries === (await this.#options.countAlive())) return true
      await this.catchUp(Math.max(0, change - overlap))
    }
    return false
  }
}
