import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { OpenRun, TaskRunRow } from '../../../store/tables/agents/task-runs.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { TaskStreams } from './task-streams.js'

/** Less than the command line waits for a cancelled run. */
const endWithinMs = 25_000
const askEveryMs = 200

interface Options {
  deps: Pick<Daemon, 'store'>
  /** The runs of this daemon. */
  active: ReadonlyMap<string, { row: TaskRunRow; stop: AbortController }>
  streams: TaskStreams
  /** Aborted when the daemon stops. */
  signal: AbortSignal
}

/**
 * Runs of tasks where several daemons serve one database: one of them does the runs, and each one gets
 * requests about them. The row of a run is the message: its error ends a run that is still running.
 */
export class RunsElsewhere {
  readonly #options: Options
  /** Open runs of other daemons whose readers are here, by task. */
  readonly #followed = new Map<string, OpenRun>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Ends own runs that another daemon was asked to cancel or remove, and tells readers of runs elsewhere. */
  async look(): Promise<void> {
    await this.#endAsked()
    await this.#tellReaders()
  }

  /**
   * Has the daemon that runs it end a run. @returns once it has ended, or the daemon stops
   * @throws AppError `conflict` when it takes too long
   */
  async end(id: string, reason: string): Promise<void> {
    const { deps, signal } = this.#options
    const { taskRuns } = deps.store.tables
    await taskRuns.askToEnd(id, reason)
    for (let waited = 0; waited < endWithinMs && !signal.aborted; waited += askEveryMs) {
      const row = await taskRuns.find(id)
      if (row?.status !== 'running') return
      await delay(askEveryMs, undefined, { signal }).catch(() => undefined)
    }
    throw new AppError('conflict', 'the daemon that runs the task has not ended the run yet; look again soon')
  }

  async #endAsked(): Promise<void> {
    const { deps, active } = this.#options
    if (active.size === 0) return
    const rows = await deps.store.tables.taskRuns.among([...active.keys()])
    for (const [id, { stop }] of active) {
      const row = rows.find(one => one.id === id)
      if (!row) stop.abort('the task was removed')
      else if (row.status === 'running' && row.error !== null) stop.abort(row.error)
    }
  }

  async #tellReaders(): Promise<void> {
    const { deps, active, streams } = this.#options
    const { taskRuns } = deps.store.tables
    const read = streams.tasks()
    for (const taskId of this.#followed.keys()) if (!read.has(taskId)) this.#followed.delete(taskId)
    for (const taskId of read) {
      const open = await taskRuns.openOf(taskId)
      const known = this.#followed.get(taskId)
      if (known && known.id !== open?.id) {
        this.#followed.delete(taskId)
        const ended = await taskRuns.find(known.id)
        if (ended) streams.completed(ended)
      }
      if (open?.status !== 'running' || active.has(open.id) || known?.id === open.id) continue
      this.#followed.set(taskId, open)
      const begun = await taskRuns.find(open.id)
      if (begun) streams.started(begun)
    }
  }
}
