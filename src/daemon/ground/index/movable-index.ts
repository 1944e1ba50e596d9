import type { Entry } from '../../../store/index/collection.js'
import { type FoundHits, unpackHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog } from './index-source.js'
import type { IndexCheck, IndexPart, LiveIndex, LiveStats } from './live-index.js'
import { IndexThreadDied } from './threaded-index.js'

export interface MovableIndexOptions<Row, E extends Entry, Filter> {
  /** Opens an empty index in this thread. */
  openHere(): LiveIndex<Row, E, Filter>
  /**
   * Opens an empty index in its own thread. @param onDeath called if the thread ends without being closed.
   */
  openThread(onDeath: (reason: Error) => void): LiveIndex<Row, E, Filter>
  /** True if there are about this many entries; asked at startup and answered without a full count. */
  hasAtLeast(count: number): Promise<boolean>
  /** From this number of entries on the index runs in its own thread. */
  threadFrom: number
  log: IndexLog
}

/** Inserts between two checks of the index size. */
const insertsPerCheck = 500

/**
 * Runs the index of a collection in this thread while it is small, and in its own thread once it is large, so
 * that searches, rebuilds and snapshots do not block requests. During a move both receive every change, and
 * the new one reads missed changes from SQLite. If the thread dies, the index is rebuilt in this thread and
 * stays here.
 */
export class MovableIndex<Row, E extends Entry, Filter> {
  readonly #options: MovableIndexOptions<Row, E, Filter>
  #current: LiveIndex<Row, E, Filter>
  #place: 'here' | 'thread' | 'pinned' = 'here'
  /** The target of a move in progress; it receives all changes too. */
  #next: LiveIndex<Row, E, Filter> | undefined
  #moving: Promise<void> = Promise.resolve()
  #model: VectorModel | undefined
  /** Resolves when the index is rebuilt after its thread died. */
  #refilled: Promise<void> = Promise.resolve()
  #inserts = 0
  #closed = false

  constructor(options: MovableIndexOptions<Row, E, Filter>) {
    this.#options = options
    this.#current = options.openHere()
  }

  upsert(entry: E): void {
    for (const one of this.#all()) one.upsert(entry)
    this.#countInserts(1)
  }

  /** Indexes rows in their current state, with everything stored for them. */
  async apply(rows: readonly Row[]): Promise<void> {
    const asked = this.#current
    await Promise.all(this.#all().map(one => one.apply(rows).catch(ignoreDeath)))
    this.#countInserts(rows.length)
    if (asked !== this.#current && !this.#closed) await this.apply(rows)
  }

  async catchUp(after: number): Promise<void> {
    await Promise.all(this.#all().map(one => one.catchUp(after).catch(ignoreDeath)))
  }

  setVector(id: string, vector: Float32Array): void {
    for (const one of this.#all()) one.setVector(id, vector)
  }

  remove(id: string): void {
    for (const one of this.#all()) one.remove(id)
  }

  /** Moves the index to its thread before that many entries come, since it would soon be large anyway. */
  expect(entries: number): void {
    if (this.#place === 'here') void this.#move(() => this.#moveIfLarge(entries))
  }

  async search(query: IndexQuery<Filter>): Promise<FoundHits> {
    const asked = this.#current
    const hits = await this.#ask(current => current.search(query))
    // The index answered while it was being replaced by a thread at startup: ask the new one.
    return hits.complete || asked === this.#current ? unpackHits(hits) : this.search(query)
  }

  stats(): Promise<LiveStats> {
    return this.#ask(current => current.stats())
  }

  async settled(): Promise<void> {
    await Promise.all(this.#all().map(one => one.settled().catch(ignoreDeath)))
  }

  check(after: number, limit: number): Promise<IndexCheck> {
    return this.#ask(current => current.check(after, limit))
  }

  lacking(what: IndexPart, ids: readonly string[]): Promise<string[]> {
    return this.#ask(current => current.lacking(what, ids))
  }

  async rebuild(): Promise<void> {
    await this.#moving
    await this.#ask(current => current.rebuild())
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

  #countInserts(count: number): void {
    const looks = Math.floor(this.#inserts / insertsPerCheck)
    this.#inserts += count
    if (this.#place === 'here' && Math.floor(this.#inserts / insertsPerCheck) > looks)
      void this.#move(() => this.#moveIfLarge())
  }

  #all(): LiveIndex<Row, E, Filter>[] {
    return this.#next ? [this.#current, this.#next] : [this.#current]
  }

  /** Repeats calls that a dying thread left unanswered, on the rebuilt index. */
  async #ask<Answer>(work: (current: LiveIndex<Row, E, Filter>) => Promise<Answer>): Promise<Answer> {
    try {
      return await work(this.#current)
    } catch (error) {
      if (this.#closed || !(error instanceof IndexThreadDied)) throw error
      return work(this.#current)
    }
  }

  /** Moves run one after another; after a failed move the index stays where it is. */
  #move(work: () => Promise<void>): Promise<void> {
    this.#moving = this.#moving.then(work).catch(error => {
      if (!this.#closed) this.#options.log.warn({ err: error }, 'the index stays in the main thread')
      this.#place = 'pinned'
    })
    return this.#moving
  }

  /** At startup a large store goes straight to a thread: the index here is still empty. */
  async #startInThread(): Promise<void> {
    const { threadFrom, hasAtLeast } = this.#options
    if (this.#place !== 'here' || threadFrom === Number.POSITIVE_INFINITY) return
    if (!(await hasAtLeast(threadFrom)) || this.#closed) return
    const old = this.#current
    this.#current = this.#openThread()
    this.#place = 'thread'
    old.drop()
  }

  /** This thread answers until the new thread has all entries. @param expected entries that soon come */
  async #moveIfLarge(expected = 0): Promise<void> {
    const { threadFrom, log } = this.#options
    const old = this.#current
    const { state, entries } = await old.stats()
    const model = this.#model
    if (this.#place !== 'here' || state !== 'ready' || entries + expected < threadFrom || !model) return
    // The new thread starts from this snapshot.
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
      log.info({ entries }, 'index moved to its own thread')
    } finally {
      this.#next = undefined
      if (this.#current !== next) await next.close()
    }
  }

  #openThread(): LiveIndex<Row, E, Filter> {
    return this.#options.openThread(reason => this.#comeBack(reason))
  }

  #comeBack(reason: Error): void {
    if (this.#place !== 'thread' || this.#closed) return
    const { log, openHere } = this.#options
    log.warn({ err: reason }, 'index thread died; rebuilding the index in the main thread')
    this.#place = 'pinned'
    this.#current = openHere()
    if (this.#model)
      this.#refilled = this.#current
        .use(this.#model)
        .catch(error => log.warn({ err: error }, 'index not rebuilt'))
  }
}

function ignoreDeath(error: unknown): void {
  if (!(error instanceof IndexThreadDied)) throw error
}
