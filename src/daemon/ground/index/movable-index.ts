import type { Entry } from '../../../store/index/collection.js'
import { type FoundHits, unpackHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import type { IndexLog } from './index-source.js'
import type { IndexCheck, IndexPart, LiveIndex, LiveStats } from './live-index.js'
import { IndexThreadDied } from './threaded-index.js'

export interface MovableIndexOptions<Row, E extends Entry, Filter> {
  /** An empty index in this thread. */
  openHere(): LiveIndex<Row, E, Filter>
  /** An empty index in a thread of its own. @param onDeath hears of its end, unless it was closed. */
  openThread(onDeath: (reason: Error) => void): LiveIndex<Row, E, Filter>
  /** Whether there are about so many entries, or more; asked at a start, and answered without counting them all. */
  hasAtLeast(count: number): Promise<boolean>
  /** Number of entries from which on the index has a thread of its own. */
  threadFrom: number
  log: IndexLog
}

/** Inserts between two checks of the size of the index. */
const looksEvery = 500

/**
 * Where the index of a collection lives: in this thread while it is small, in a thread of its own once it is large, so that
 * searches, rebuilds and snapshots leave the event loop to requests. During a move both get every change, and the new
 * one reads from SQLite what it missed. If the thread dies, the index is rebuilt in this thread and stays here.
 */
export class MovableIndex<Row, E extends Entry, Filter> {
  readonly #options: MovableIndexOptions<Row, E, Filter>
  #current: LiveIndex<Row, E, Filter>
  #place: 'here' | 'thread' | 'here for good' = 'here'
  /** The one that the index is moving to: it hears of all changes too. */
  #next: LiveIndex<Row, E, Filter> | undefined
  #moving: Promise<void> = Promise.resolve()
  #model: VectorModel | undefined
  /** After the thread died: resolves when the new index is full again. */
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

  /** Brings rows in as they are now, with everything that is stored of them. */
  async apply(rows: readonly Row[]): Promise<void> {
    const asked = this.#current
    await Promise.all(this.#all().map(one => one.apply(rows).catch(ignoreDeath)))
    this.#countInserts(rows.length)
    if (asked !== this.#current && !this.#closed) await this.apply(rows)
  }

  setVector(id: string, vector: Float32Array): void {
    for (const one of this.#all()) one.setVector(id, vector)
  }

  remove(id: string): void {
    for (const one of this.#all()) one.remove(id)
  }

  async search(query: IndexQuery<Filter>): Promise<FoundHits> {
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
    const looks = Math.floor(this.#inserts / looksEvery)
    this.#inserts += count
    if (this.#place === 'here' && Math.floor(this.#inserts / looksEvery) > looks)
      void this.#move(() => this.#moveIfLarge())
  }

  #all(): LiveIndex<Row, E, Filter>[] {
    return this.#next ? [this.#current, this.#next] : [this.#current]
  }

  /** What the thread did not answer before it died, the index that came back does. */
  async #ask<Answer>(work: (current: LiveIndex<Row, E, Filter>) => Promise<Answer>): Promise<Answer> {
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
    const { threadFrom, hasAtLeast } = this.#options
    if (this.#place !== 'here' || threadFrom === Number.POSITIVE_INFINITY) return
    if (!(await hasAtLeast(threadFrom)) || this.#closed) return
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

  #openThread(): LiveIndex<Row, E, Filter> {
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
