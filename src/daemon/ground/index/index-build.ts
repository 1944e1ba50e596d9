import { setImmediate as nextTurn } from 'node:timers/promises'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { Collection, Entry } from '../../../store/index/collection.js'
import { createIndex, loadIndex, type SearchIndex } from '../../../store/index/orama/packed-index.js'
import type { ReadAhead } from '../../../store/index/orama/read-ahead.js'
import {
  createSegmentedIndex,
  loadSegmentedIndex,
  type Sealing,
} from '../../../store/index/segments/segmented-index.js'
import type { ShardSearch } from '../../../store/index/shards/shard.js'
import { SnapshotError } from '../../../store/index/snapshot/frames.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog, IndexSource } from './index-source.js'

export interface BuildOptions<Row extends { change: number }, E extends Entry, Filter> {
  collection: Collection<E, Filter>
  source: IndexSource<Row, E>
  /** Path of the snapshot. */
  file: string
  log: IndexLog
  /** The snapshot, if reading it began earlier. */
  ahead?: ReadAhead<E, Filter> | undefined
  /** Folder for entries that exceed memory; without it all entries stay in memory. */
  segments?: string | undefined
  /** True if deletions rewrite the snapshot within a minute, so that it contains no deleted words. */
  forgets?: boolean
  /** How long a search waits for an index that is read from its snapshot; default 2000. */
  openMs?: number
  /** How long it waits for one that is rebuilt; default 500. */
  rebuildOpenMs?: number
}

const batchSize = 200
/** Maximum time a rebuild may block the event loop. */
const sliceMs = 10
/** Changes are re-applied from slightly before the last known one: commits may arrive out of order. */
export const overlap = 100
/** From a snapshot an index is complete sooner. */
const defaultOpenMs = 2000
/** A small store is indexed by then, of a large one the newest rows; half of a hook's time limit remains. */
const defaultRebuildOpenMs = 500
/** Entries in memory before they are sealed. */
const sealFrom = 4096
/** How often a loaded index is compared with a database that keeps changing. */
export const maxComparisons = 5

/**
 * One filling of an index with the vectors of one model: from its snapshot plus later changes, or from SQLite
 * alone. Changes and searches do not wait for it to finish.
 */
export class IndexBuild<Row extends { change: number }, E extends Entry, Filter> {
  index: SearchIndex<E, Filter>
  complete = false
  /** Change sequence of the newest snapshot. */
  saved = 0
  /** True if entries were removed that the snapshot may still contain. */
  hasGone = false
  /** Aborted when another build replaces this one or the index closes; filling stops at its next slice. */
  readonly stopped: AbortSignal
  readonly #options: BuildOptions<Row, E, Filter>
  readonly #own = new AbortController()
  readonly #opened = deferred<void>()

  /** @param life aborted when the index closes. */
  constructor(
    options: BuildOptions<Row, E, Filter>,
    readonly model: VectorModel,
    life: AbortSignal,
  ) {
    this.#options = options
    this.stopped = AbortSignal.any([life, this.#own.signal])
    this.stopped.addEventListener('abort', () => this.open(), { once: true })
    this.index = this.#emptyIndex()
    setTimeout(this.#opened.resolve, options.openMs ?? defaultOpenMs).unref()
  }

  /** Resolves when the build is complete or stopped, or after the time a search waits for it. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Lets searches proceed. */
  open(): void {
    this.#opened.resolve()
  }

  /** Stops the build because another one replaces it. */
  stop(): void {
    this.#own.abort()
  }

  /** Resolves once every stored row is indexed, or the build was stopped. */
  async fill(): Promise<void> {
    try {
      if (!((await this.#loadSnapshot()) && (await this.#hasCaughtUp()))) await this.#rebuild()
      this.complete = !this.stopped.aborted
    } finally {
      this.open()
    }
  }

  /** @param isKnown skips entries that are already indexed; their vectors may be newer. */
  async apply(rows: readonly Row[], isKnown: (entry: E) => boolean = () => false): Promise<void> {
    const entries = await this.#options.source.entries(rows, this.model)
    let sliceStart = performance.now()
    for (const { id, entry, vector } of entries) {
      if (!entry) this.hasGone = this.index.remove(id) || this.hasGone
      else if (!isKnown(entry)) {
        // The vector of an older text would stay.
        if (!vector && this.#isOlder(entry)) this.index.remove(id)
        this.index.upsert(entry)
      }
      if (entry && vector) this.setVector(id, vector)
      if (performance.now() - sliceStart > sliceMs) {
        await nextTurn()
        sliceStart = performance.now()
      }
    }
  }

  #isOlder({ id, change }: E): boolean {
    const known = this.index.changeOf(id)
    return known !== undefined && known < change && this.index.hasVector(id)
  }

  /** A vector of another length is skipped; keyword search still finds its row. */
  setVector(id: string, vector: Float32Array): void {
    try {
      this.index.setVector(id, vector)
    } catch (error) {
      this.#options.log.warn({ err: error, entry: id }, 'vector does not fit the index')
    }
  }

  /** Begins a search of the current index as one shard of several. */
  beginShard(filter: Filter | undefined): ShardSearch {
    return this.index.beginShard(filter, () => this.complete)
  }

  /** Saves a snapshot. Failures are only logged: without a snapshot the next start rebuilds. */
  async save(): Promise<void> {
    const { file, log } = this.#options
    const { change } = this.index.stats()
    if (!this.complete || (change === this.saved && !this.hasGone)) return
    try {
      // Entries removed while the snapshot is written may be in it, so the flag is reset first.
      this.hasGone = false
      await this.index.save(file)
      this.saved = change
    } catch (error) {
      this.hasGone = true
      log.warn({ err: error }, 'index snapshot not written')
    }
  }

  /** Discards the index and rebuilds it from SQLite. Searches continue on the entries read so far. */
  async refill(): Promise<void> {
    this.complete = false
    await this.#startOver()
    await this.#rebuild()
    this.complete = !this.stopped.aborted
  }

  async #startOver(): Promise<void> {
    await this.index.close()
    this.index = this.#emptyIndex()
    this.saved = 0
  }

  #emptyIndex(): SearchIndex<E, Filter> {
    const { collection } = this.#options
    const sealing = this.#sealing()
    const options = this.#indexOptions()
    return sealing
      ? createSegmentedIndex(collection, { ...options, ...sealing })
      : createIndex(collection, options)
  }

  #sealing(): Sealing | undefined {
    const { segments, log } = this.#options
    if (segments === undefined) return undefined
    return {
      segments,
      sealFrom,
      onFault: error => log.warn({ err: error }, 'index segment not written'),
    }
  }

  #indexOptions() {
    const { model } = this
    const { source } = this.#options
    return {
      dimensions: null,
      model: `${model.provider}/${model.model}`,
      loadVectors: async (ids: readonly string[]) =>
        (await source.loadVectors?.(ids, model)) ?? new Map<string, Float32Array>(),
    }
  }

  /** @returns whether the snapshot is now the index. Later changes follow in the catch-up. */
  async #loadSnapshot(): Promise<boolean> {
    const { file, collection, log, ahead } = this.#options
    try {
      const sealing = this.#sealing()
      const options = this.#indexOptions()
      this.index = sealing
        ? await loadSegmentedIndex(file, collection, { ...options, ...sealing })
        : ((await ahead?.take(options)) ?? (await loadIndex(file, collection, options)))
      this.saved = this.index.stats().change
      return true
    } catch (error) {
      const fields = { reason: messageOf(error) }
      // New workspaces and empty indexes have no snapshot; nothing is wrong.
      if (error instanceof SnapshotError && error.reason === 'missing')
        log.debug(fields, 'no index snapshot yet')
      else log.info(fields, 'no usable index snapshot')
      return false
    }
  }

  /** @returns false when the index differs from the database after its snapshot was loaded. */
  async #hasCaughtUp(): Promise<boolean> {
    const { source, log } = this.#options
    // Another thread may write between the last change read and the count.
    let from = this.saved
    for (let looks = 0; looks < maxComparisons; looks++) {
      from = await this.catchUp(from - overlap)
      const { entries } = this.index.stats()
      if (this.stopped.aborted || entries === ((await source.countAlive()) ?? entries)) return true
    }
    log.warn({}, 'the index snapshot differs from the database; rebuilding the index')
    await this.#startOver()
    return false
  }

  async #rebuild(): Promise<void> {
    const { source, rebuildOpenMs } = this.#options
    setTimeout(this.#opened.resolve, rebuildOpenMs ?? defaultRebuildOpenMs).unref()
    const start = await source.lastChange()
    await this.#takeAll(start)
    await this.catchUp(start - overlap)
  }

  /** Reads the newest rows first: most queries ask for them. */
  async #takeAll(start: number): Promise<void> {
    let before = start + 1
    while (!this.stopped.aborted) {
      const rows = await this.#options.source.beforeChange(before, batchSize)
      const last = rows.at(-1)
      if (!last) return
      await this.apply(rows)
      before = last.change
    }
  }

  /**
   * Applies every change after the given one, including those made during the rebuild. @returns the last one.
   */
  async catchUp(after: number): Promise<number> {
    let last = Math.max(0, after)
    while (!this.stopped.aborted) {
      const rows = await this.#options.source.afterChange(last, batchSize)
      const newest = rows.at(-1)
      if (!newest) break
      await this.apply(rows, ({ id, change }) => this.index.changeOf(id) === change)
      last = newest.change
    }
    return last
  }
}
