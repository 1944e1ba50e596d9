import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemTimers, type Timers } from '../../../../lib/time/timers.js'
import type { Worker } from '../../../platform/jobs/worker.js'
import { kindOf } from './kind.js'
import { dropGone, purgeRemoved } from './purge-removed.js'
import { type PassDeps, toSource } from './run-pass.js'

/** What the worker is woken by that takes away what buried sources brought; it finds them by their tombstones. */
export const sourcePurge = { kind: 'source_purge' } as const

/** How far the purge of a source has come. */
export interface Purged {
  artifacts: number
  isDone: boolean
  /** What its kind keeps elsewhere is cleaned up. */
  isClean: boolean
}

const markedRows = 200
/** A cleaning-up that failed is tried again after so long, and at each start. */
const retryMs = 5 * 60_000

/** Takes away what buried sources brought, in slices; a start goes on with it (sources.md#removing). */
export class Purges implements Worker {
  readonly #deps: PassDeps
  readonly #timers: Timers
  readonly #life = new AbortController()
  readonly #running = new Map<string, Promise<Purged>>()
  /** Looking for tombstones, one time after the other. */
  #sweeping = Promise.resolve()
  #cancel = (): void => undefined

  constructor(deps: PassDeps, timers: Timers = systemTimers) {
    this.#deps = deps
    this.#timers = timers
  }

  start(): void {
    this.wake()
  }

  /** Looks for tombstones. */
  wake(): void {
    this.#sweeping = this.#sweeping.then(() => this.#purgeAll())
  }

  busy(): boolean {
    return this.#running.size > 0
  }

  async close(): Promise<void> {
    this.#life.abort()
    this.#cancel()
    await Promise.allSettled([this.#sweeping, ...this.#running.values()])
  }

  /** Goes on with the purge of a buried source; one that runs already is joined, one that fails is tried again. */
  purge(sourceId: string): Promise<Purged> {
    const known = this.#running.get(sourceId)
    if (known) return known
    const purging = this.#purge(sourceId)
      .catch(error => this.#failed(sourceId, error))
      .finally(() => this.#running.delete(sourceId))
    this.#running.set(sourceId, purging)
    return purging
  }

  async #failed(sourceId: string, error: unknown): Promise<Purged> {
    const { store, log } = this.#deps
    log.warn({ err: error, source: sourceId }, 'a source was not purged; it is tried again')
    this.#retry()
    const row = await store.tables.sources.load(sourceId).catch(() => undefined)
    return { artifacts: row?.purged ?? 0, isDone: false, isClean: true }
  }

  async #purgeAll(): Promise<void> {
    const { store, log } = this.#deps
    const { signal } = this.#life
    try {
      for (const { id } of await store.tables.sources.removed()) {
        if (signal.aborted) return
        await this.purge(id)
      }
      for (const id of await store.tables.sourceArtifacts.sourcesWithRemoved())
        await purgeRemoved(this.#deps, id, signal)
      if (!signal.aborted) await dropGone(this.#deps)
    } catch (error) {
      log.warn({ err: error }, 'sources not purged; it is tried again')
      this.#retry()
    }
  }

  #retry(): void {
    this.#cancel()
    if (!this.#life.signal.aborted) this.#cancel = this.#timers.after(retryMs, () => this.wake())
  }

  async #purge(sourceId: string): Promise<Purged> {
    const { store } = this.#deps
    for (;;) {
      const row = await store.tables.sources.load(sourceId)
      if (!row || row.removed_at === null) return { artifacts: row?.purged ?? 0, isDone: true, isClean: true }
      if (this.#life.signal.aborted) return { artifacts: row.purged, isDone: false, isClean: false }
      const marked = await store.write({ until: 'committed' }, async tables => {
        const gone = await tables.sourceArtifacts.markAny(sourceId, markedRows)
        await tables.sources.notePurged(sourceId, gone.artifacts)
        return gone.artifacts
      })
      await purgeRemoved(this.#deps, sourceId, this.#life.signal)
      if (marked === 0 && !this.#life.signal.aborted) return this.#finish(sourceId)
      await nextTurn()
    }
  }

  /** Its row goes last, with its checkpoints: until then a repeated removal finds it. */
  async #finish(sourceId: string): Promise<Purged> {
    const { store, log } = this.#deps
    const row = await store.tables.sources.load(sourceId)
    if (!row) return { artifacts: 0, isDone: true, isClean: true }
    try {
      const kind = kindOf(this.#deps, row.kind)
      await kind?.cleanUp?.(this.#deps, toSource(kind, row))
      if (!(await store.file.forgetDeleted()))
        throw new Error('the log of the database is read all the while')
    } catch (error) {
      log.warn(
        { err: error, source: sourceId },
        'what a source keeps elsewhere is not cleaned up; it is tried again',
      )
      this.#retry()
      return { artifacts: row.purged, isDone: false, isClean: false }
    }
    await store.transaction(({ sources }) => sources.drop(sourceId))
    return { artifacts: row.purged, isDone: true, isClean: true }
  }
}
