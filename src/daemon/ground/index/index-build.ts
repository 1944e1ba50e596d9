import { setImmediate as nextTurn } from 'node:timers/promises'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { Collection, Entry } from '../../../store/index/collection.js'
import { createIndex, loadIndex } from '../../../store/index/orama/packed-index.js'
import type { ReadAhead } from '../../../store/index/orama/read-ahead.js'
import type { SearchIndex } from '../../../store/index/orama/search-index.js'
import {
  createSegmentedIndex,
  loadSegmentedIndex,
  type Sealing,
} from '../../../store/index/segments/segmented-index.js'
import { SnapshotError } from '../../../store/index/snapshot/frames.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog, IndexSource } from './index-source.js'

export interface BuildOptions<Row extends { change: number }, E extends Entry, Filter> {
  collection: Collection<E, Filter>
  source: IndexSource<Row, E>
  /** Where the snapshot is. */
  file: string
  log: IndexLog
  /** The snapshot, where somebody began to read it before this was made. */
  ahead?: ReadAhead<E, Filter> | undefined
  /** Where entries go that memory is too small for; without it all of them stay in memory. */
  segments?: string | undefined
  /** The snapshot is written anew within a minute after something went, so that it holds none of its words. */
  forgets?: boolean
  /** A search waits so long for an index that is read from its snapshot; default 2000. */
  openMs?: number
  /** So long for one that is rebuilt; default 500. */
  rebuildOpenMs?: number
}

const batchSize = 200
/** A slice of a rebuild holds the event loop no longer than this. */
const sliceMs = 10
/** Changes are applied again from a little before the last known one: commits may reach the index in another order. */
const overlap = 100
/** From a snapshot an index is complete sooner. */
const defaultOpenMs = 2000
/** A small store is in the index by then, of a large one the newest rows; half of what a hook may take is left. */
const defaultRebuildOpenMs = 500
/** Entries that are in memory before they are sealed. */
const sealFrom = 4096
/** How often an index that was read is compared with a database that goes on changing. */
const maxLooks = 5

/**
 * One filling of an index with the vectors of one model: from its snapshot and what changed since, or from SQLite
 * alone. Changes and searches need not wait for its end.
 */
export class IndexBuild<Row extends { change: number }, E extends Entry, Filter> {
  index: SearchIndex<E, Filter>
  complete = false
  /** Change sequence of the newest snapshot. */
  saved = 0
  /** Whether something went that the snapshot may hold. */
  hasGone = false
  /** Aborted when another build takes its place or the index ends: filling stops at its next slice. */
  readonly stopped: AbortSignal
  readonly #options: BuildOptions<Row, E, Filter>
  readonly #own = new AbortController()
  readonly #opened = deferred<void>()

  /** @param life of the index: aborted at its end. */
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

  /** Resolved when it is complete or stopped, or has been filled for so long that searches go on without the rest. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Lets searches go on. */
  open(): void {
    this.#opened.resolve()
  }

  /** Another build takes its place. */
  stop(): void {
    this.#own.abort()
  }

  /** Resolves once every stored row is in it, or it was stopped. */
  async fill(): Promise<void> {
    try {
      if (!((await this.#loadSnapshot()) && (await this.#hasCaughtUp()))) await this.#rebuild()
      this.complete = !this.stopped.aborted
    } finally {
      this.open()
    }
  }

  /** @param isKnown leaves an entry that the index holds already as it is; its vector may be newer. */
  async apply(rows: readonly Row[], isKnown: (entry: E) => boolean = () => false): Promise<void> {
    const entries = await this.#options.source.entries(rows, this.model)
    let sliceStart = performance.now()
    for (const { id, entry, vector } of entries) {
      if (!entry) this.hasGone = this.index.remove(id) || this.hasGone
      else if (!isKnown(entry)) this.index.upsert(entry)
      if (entry && vector) this.setVector(id, vector)
      if (performance.now() - sliceStart > sliceMs) {
        await nextTurn()
        sliceStart = performance.now()
      }
    }
  }

  /** A vector of another length is left out of the index: its row stays found by keyword. */
  setVector(id: string, vector: Float32Array): void {
    try {
      this.index.setVector(id, vector)
    } catch (error) {
      this.#options.log.warn({ err: error, entry: id }, 'vector does not fit the index')
    }
  }

  /** A snapshot only saves time: without one the next start rebuilds. */
  async save(): Promise<void> {
    const { file, log } = this.#options
    const { change } = this.index.stats()
    if (!this.complete || (change === this.saved && !this.hasGone)) return
    try {
      // What goes while it is written may be in it.
      this.hasGone = false
      await this.index.save(file)
      this.saved = change
    } catch (error) {
      this.hasGone = true
      log.warn({ err: error }, 'index snapshot not written')
    }
  }

  /** Throws away what it holds and reads SQLite anew. Searches go on meanwhile, with what is in it again. */
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
      onFault: error => log.warn({ err: error }, 'a segment of the index was not written'),
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

  /** @returns whether the snapshot is now the index. What was written meanwhile comes in by catching up. */
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
      // Nothing was lost: an index that never held anything has none, nor has a new workspace.
      if (error instanceof SnapshotError && error.reason === 'missing')
        log.debug(fields, 'no index snapshot yet')
      else log.info(fields, 'no usable index snapshot')
      return false
    }
  }

  /** @returns false when the index, which came from a snapshot, does not hold what the database holds. */
  async #hasCaughtUp(): Promise<boolean> {
    const { source, log } = this.#options
    // Another thread may write between the last change read and the count.
    let from = this.saved
    for (let looks = 0; looks < maxLooks; looks++) {
      from = await this.#catchUp(from - overlap)
      if (this.stopped.aborted || this.index.stats().entries === (await source.countAlive())) return true
    }
    log.warn({}, 'the index snapshot does not hold what the database holds; rebuilding')
    await this.#startOver()
    return false
  }

  async #rebuild(): Promise<void> {
    const { source, rebuildOpenMs } = this.#options
    setTimeout(this.#opened.resolve, rebuildOpenMs ?? defaultRebuildOpenMs).unref()
    const start = await source.lastChange()
    await this.#takeAll(start)
    await this.#catchUp(start - overlap)
  }

  /** Newest rows first, so that what is asked for most is found first. */
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

  /** Applies every change after the given one, those of requests that came during the rebuild included. @returns the last one. */
  async #catchUp(after: number): Promise<number> {
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
