import { AppError } from '../../../contract/ground/errors.js'
import { clip } from '../../../lib/text/clip.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { ConnectorRow } from '../../../store/tables/knowledge/connectors.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { takeWork, whileHeld } from '../../platform/nodes/held-work.js'
import { SyncFault } from './filesystem-settings.js'
import type { SyncDeps, SyncProgress } from './sync-filesystem.js'

interface Run {
  progress: SyncProgress
  life: AbortController
  ended: Promise<void>
}

/** `last_error` of a connector whose sync ended with the daemon. */
export const brokenOff = 'the daemon ended during the sync; sync it again to resume'

const workOn = (id: string) => `connector:${id}` as const

/** Runs the syncs of one daemon: of all daemons, one per connector at a time (connectors.md#states). */
export class SyncRuns implements Worker {
  readonly #deps: SyncDeps
  readonly #runs = new Map<string, Run>()
  readonly #leaving = new Set<string>()

  constructor(deps: SyncDeps) {
    this.#deps = deps
  }

  start(): void {}

  /** An idle daemon waits for running syncs before it exits. */
  busy(): boolean {
    return this.#runs.size > 0
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map(id => this.#end(id)))
  }

  progressOf(id: string): SyncProgress | undefined {
    return this.#runs.get(id)?.progress
  }

  running(): string[] {
    return [...this.#runs.keys()]
  }

  /**
   * Starts a sync and returns once the row says `syncing`.
   * @returns undefined, or that one is already running
   * @throws AppError `conflict` for a connector that is being removed
   */
  async begin(connector: ConnectorRow, full: boolean): Promise<string | undefined> {
    const { id } = connector
    if (this.#leaving.has(id)) throw new AppError('conflict', `the connector ${id} is being removed`)
    if (this.#runs.has(id)) return 'Already syncing'
    const progress = { full, listed: 0, taken: 0, removed: 0 }
    const run: Run = { progress, life: new AbortController(), ended: Promise.resolve() }
    this.#runs.set(id, run)
    try {
      const other = await takeWork(this.#deps, workOn(id))
      if (other !== undefined) {
        this.#runs.delete(id)
        return `Already syncing at ${other}`
      }
      await this.#change(id, { status: 'syncing', last_error: null })
    } catch (error) {
      this.#runs.delete(id)
      throw error
    }
    run.ended = this.#sync(connector, run).finally(() => this.#runs.delete(id))
    return undefined
  }

  /**
   * Ends the sync of a connector and prevents new ones during its removal.
   * @throws AppError `conflict` for a second removal, or while another daemon syncs it
   */
  async whileLeaving<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#leaving.has(id)) throw new AppError('conflict', `the connector ${id} is being removed`)
    this.#leaving.add(id)
    try {
      await this.#end(id)
      const refused = (other: string) =>
        new AppError('conflict', `the connector ${id} is being synced by ${other}; remove it there, or later`)
      return await whileHeld(this.#deps, { name: workOn(id), refused }, work)
    } finally {
      this.#leaving.delete(id)
    }
  }

  async #end(id: string): Promise<void> {
    const run = this.#runs.get(id)
    run?.life.abort()
    await run?.ended
  }

  async #sync(connector: ConnectorRow, { progress, life: { signal } }: Run): Promise<void> {
    const { store, clock, log } = this.#deps
    const { id } = connector
    try {
      const { syncFilesystem } = await import('./sync-filesystem.js')
      const result = await syncFilesystem(this.#deps, connector, { progress, signal })
      const { errors: _errors, cursor, ...counts } = result
      await store.transaction(async tables => {
        await tables.connectors.change(id, {
          status: 'idle',
          last_error: null,
          cursor_json: JSON.stringify(cursor),
          last_sync_at: cursor.lastSyncAt,
          updated_at: clock().toISOString(),
        })
        await tables.connectors.putResult(id, JSON.stringify(result))
        await tables.nodes.release([workOn(id)])
      })
      log.info({ connector: id, ...counts }, 'connector synced')
    } catch (error) {
      await this.#fail(id, signal.aborted ? new SyncFault(brokenOff) : error)
    }
  }

  async #fail(id: string, error: unknown): Promise<void> {
    const { store, clock, log } = this.#deps
    const isExpected = error instanceof SyncFault || error instanceof AppError
    if (!isExpected) log.error({ err: error, connector: id }, 'connector sync failed')
    const message = clip(messageOf(error), 2000)
    const change = { status: 'error', last_error: message, updated_at: clock().toISOString() }
    await store
      .transaction(async tables => {
        await tables.connectors.change(id, change)
        await tables.nodes.release([workOn(id)])
      })
      .catch(fault => log.warn({ err: fault, connector: id }, 'connector state not saved'))
  }

  async #change(id: string, change: Partial<ConnectorRow>): Promise<void> {
    const updated_at = this.#deps.clock().toISOString()
    await this.#deps.store.tables.connectors.change(id, { ...change, updated_at })
  }
}

/** The syncs of each daemon. */
export const syncRuns = createDaemonState<SyncRuns>()
