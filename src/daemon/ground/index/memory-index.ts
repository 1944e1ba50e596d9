import type { MemoryEntryFilter } from '../../../store/index/collections/memories.js'
import { unpackHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexHits, IndexQuery } from '../../../store/index/search.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog } from './index-source.js'
import type { LiveStats } from './live-index.js'
import { type LiveMemories, toEntry } from './memory-entries.js'
import { IndexThreadDied } from './threaded-index.js'

/** The index of memories as use cases see it, wherever it lives; see `LiveIndex`. */
export interface MemoryIndex {
  /** @param holders all but the first, which the row names. */
  upsert(row: IndexedMemory, hints: readonly string[], holders?: readonly Holder[]): void
  /** Puts a row back with everything that is stored of it. */
  restore(row: IndexedMemory): Promise<void>
  setVector(id: string, vector: Float32Array): void
  remove(id: string): void
  search(query: IndexQuery<MemoryEntryFilter>): Promise<IndexHits>
  stats(): Promise<LiveStats>
  /** Resolves once every change made before is in the index; await it between many changes. */
  settled(): Promise<void>
  /** Makes the index hold the vectors of this model; resolves once every stored row is in it. */
  use(model: VectorModel): Promise<void>
  /** Stops a rebuild at its next slice, or saves what is complete. */
  close(): Promise<void>
}

export interface MovableIndexOptions {
  /** An empty index in this thread. */
  openHere(): LiveMemories
  /** An empty index in a thread of its own. @param onDeath hears of its end, unless it was closed. */
  openThread(onDeath: (reason: Error) => void): LiveMemories
  /** How many memories the store holds. */
  countAlive(): Promise<number>
  /** Number of memories from which on the index has a thread of its own. */
  threadFrom: number
  log: IndexLog
}

/** Inserts between two checks of the size of the index. */
const looksEvery = 500

/**
 * Where the index of memories lives: in this thread while it is small, in a thread of its own once it is large, so that
 * searches, rebuilds and snapshots leave the event loop to requests. During a move both get every change, and the new
 * one reads from SQLite what it missed. If the thread dies, the index is rebuilt in this thread and stays here.
 */
export class MovableIndex implements MemoryIndex {
  readonly #options: MovableIndexOptions
  #current: LiveMemories
  #place: 'here' | 'thread' | 'here for good' = 'here'
  /** The one that the index is moving to: it hears of all changes too. */
  #next: LiveMemories | undefined
  #moving: Promise<void> = Promise.resolve()
  #model: VectorModel | undefined
  /** After the thread died: resolves when the new index is full again. */
  #refilled: Promise<void> = Promise.resolve()
  #inserts = 0
  #closed = false

  constructor(options: MovableIndexOptions) {
    this.#options = options
    this.#current = options.openHere()
  }

  upsert(row: IndexedMemory, hints: readonly string[], holders?: readonly Holder[]): void {
    const entry = toEntry(row, hints, holders)
    for (const one of this.#all()) one.upsert(entry)
    if (this.#place === 'here' && ++this.#inserts % looksEvery === 0)
      void this.#move(() => this.#moveIfLarge())
  }

  async restore(row: IndexedMemory): Promise<void> {
    const asked = this.#current
    await Promise.all(this.#all().map(one => one.apply([row]).catch(ignoreDeath)))
    if (asked !== this.#current && !this.#closed) await this.restore(row)
  }

  setVector(id: string, vector: Float32Array): void {
    for (const one of this.#all()) one.setVector(id, vector)
  }

  remove(id: string): void {
    for (const one of this.#all()) one.remove(id)
  }

  async search(query: IndexQuery<MemoryEntryFilter>): Promise<IndexHits> {
    const asked = this.#current
    const hits = await this.#ask(current => current.search(query))
    // One that was left empty, at a start, for a thread knows nothing.
    return hits.complete || asked === this.#current ? unpackHits(hits) : this.search(query)
  }

  stats(): Promise<LiveStats> {
    return this.#ask(current => current.stats())
  }

  async settled(): Promise<void> {
    await Promise.all(this.#all().map(one => one.settled().catch(ignoreDeath)))
  }

  async use(model: VectorModel): Promise<void> {
    this.#model = model
    await this.#move(() => this.#startInThread())
    if (this.#closed) return
    await this.#current.use(model).catch(ignoreDeath)
    await this.#refilled
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#next?.drop()
    await this.#moving
    await this.#current.close()
  }

  #all(): LiveMemories[] {
    return this.#next ? [this.#current, this.#next] : [this.#current]
  }

  /** What the thread did not answer before it died, the index that came back does. */
  async #ask<Answer>(work: (current: LiveMemories) => Promise<Answer>): Promise<Answer> {
    try {
      return await work(this.#current)
    } catch (error) {
      if (this.#closed || !(error instanceof IndexThreadDied)) throw error
      return work(this.#current)
    }
  }

  /** Moves are made one after another; one that fails leaves the index where it is. */
  #move(work: () => Promise<void>): Promise<void> {
    this.#moving = this.#moving.then(work).catch(error => {
      if (!this.#closed) this.#options.log.warn({ err: error }, 'the index stays in the main thread')
      this.#place = 'here for good'
    })
    return this.#moving
  }

  /** A large store is filled into a thread at once: what is here still is empty. */
  async #startInThread(): Promise<void> {
    const { threadFrom, countAlive } = this.#options
    if (this.#place !== 'here' || threadFrom === Number.POSITIVE_INFINITY) return
    if ((await countAlive()) < threadFrom || this.#closed) return
    const old = this.#current
    this.#current = this.#openThread()
    this.#place = 'thread'
    old.drop()
  }

  /** Answers here until the one in the thread has all that is here. */
  async #moveIfLarge(): Promise<void> {
    const { threadFrom, log } = this.#options
    const old = this.#current
    const { state, entries } = await old.stats()
    const model = this.#model
    if (this.#place !== 'here' || state !== 'ready' || entries < threadFrom || !model) return
    // The other one starts from its snapshot.
    await old.save()
    if (this.#closed) return
    const next = this.#openThread()
    this.#next = next
    try {
      await next.use(model)
      if (this.#closed) return
      this.#current = next
      this.#place = 'thread'
      old.drop()
      log.info({ entries }, 'the index has a thread of its own now')
    } finally {
      this.#next = undefined
      if (this.#current !== next) await next.close()
    }
  }

  #openThread(): LiveMemories {
    return this.#options.openThread(reason => this.#comeBack(reason))
  }

  #comeBack(reason: Error): void {
    if (this.#place !== 'thread' || this.#closed) return
    const { log, openHere } = this.#options
    log.warn({ err: reason }, 'the thread of the index died; the index is filled again in the main thread')
    this.#place = 'here for good'
    this.#current = openHere()
    if (this.#model)
      this.#refilled = this.#current
        .use(this.#model)
        .catch(error => log.warn({ err: error }, 'the index was not filled again'))
  }
}

function ignoreDeath(error: unknown): void {
  if (!(error instanceof IndexThreadDied)) throw error
}
