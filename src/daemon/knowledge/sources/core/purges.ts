import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemTimers, type Timers } from '../../../../lib/time/timers.js'
import type { Worker } from '../../../platform/jobs/worker.js'
import { kindOf } from './kind.js'
import { dropIndexedRemovals, purgeRemoved } from './purge-removed.js'
import { type PassDeps, toSource } from './run-pass.js'

/** Wakes the worker that purges removed sources; it finds them by their tombstones. */
export const sourcePurge = { kind: 'source_purge' } as const

/** The progress of a purge. */
export interface PurgeProgress {
  artifacts: number
  isDone: boolean
  /** True once the kind has deleted the data it stores elsewhere. */
  isClean: boolean
}

const markedRows = 200
/** Delay before a failed cleanup is retried; it is also retried at each start. */
const retryMs = 5 * 60_000

/** Deletes the data of removed sources in slices; a restart continues (sources.md#removing). */
export class Purges implements Worker {
  readonly #deps: PassDeps
  readonly #timers: Timers
  readonly #life = new AbortController()
  readonly #running = new Map<string, Promise<PurgeProgress>>()
  /** Serialises the searches for tombstones. */
  #sweeping = Promise.resolve()
  #cancel = (): void => undefined

  constructor(deps: PassDeps, timers: Timers = systemTimers) {
    this.#deps = deps
    this.#timers = timers
  }

  start(): void {
    this.wake()
  }

  /** Purges every removed source. */
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

  /** Continues the purge of a removed source, joins one that is running, and retries after a failure. */
  purge(sourceId: string): Promise<PurgeProgress> {
    const known = this.#running.get(sourceId)
    if (known) return known
    const purging = this.#purge(sourceId)
      .catch(error => this.#failed(sourceId, error))
      .finally(() => this.#running.delete(sourceId))
    this.#running.set(sourceId, purging)
    return purging
  }

  async #failed(sourceId: string, error: unknown): Promise<PurgeProgress> {
    const { store, log } = this.#deps
    log.warn({ err: error, source: sourceId }, 'source not purged; will retry')
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
      if (!signal.aborted) await dropIndexedRemovals(this.#deps)
    } catch (error) {
      log.warn({ err: error }, 'sources not purged; will retry')
      this.#retry()
    }
  }

  #retry(): void {
    this.#cancel()
    if (!this.#life.signal.aborted) this.#cancel = this.#timers.after(retryMs, () => this.wake())
  }

  async #purge(sourceId: string): Promise<PurgeProgress> {
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

  /** The source's row is deleted last, with its checkpoints, so that a repeated removal still finds it. */
  async #finish(sourceId: string): Promise<PurgeProgress> {
    const { store, log } = this.#deps
    const row = await store.tables.sources.load(sourceId)
    if (!row) return { artifacts: 0, isDone: true, isClean: true }
    try {
      const kind = kindOf(this.#deps, row.kind)
      await kind?.cleanUp?.(this.#deps, toSource(kind, row))
      if (store.file && !(await store.file.forgetDeleted()))
        throw new Error('a reader keeps the database log in use')
    } catch (error) {
      log.warn({ err: error, source: sourceId }, 'external data of a source not removed; will retry')
      this.#retry()
      return { artifacts: row.purged, isDone: false, isClean: false }
    }
    await store.transaction(({ sources }) => sources.drop(sourceId))
    return { artifacts: row.purged, isDone: true, isClean: true }
  }
}
