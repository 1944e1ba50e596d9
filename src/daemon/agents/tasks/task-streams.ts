import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { TaskEvent } from '../../../contract/agents/tasks.js'
import { AppError } from '../../../contract/ground/errors.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { OpenRun, TaskRunRow } from '../../../store/tables/agents/tasks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createAdmission, enterOrRefuse } from '../../platform/http/admission.js'
import { createEventStream, type EventStream } from '../../platform/http/event-stream.js'
import type { OutputChunk } from './run-output.js'
import { toRunSummary } from './task-record.js'

/** A run in progress, with its output so far for late readers. */
export interface LiveRun {
  row: TaskRunRow
  chunks(): OutputChunk[]
}

/** Less than the command line waits for a cancelled run. */
const endWithinMs = 25_000
const askEveryMs = 200

/** Event streams of task activity (tasks.md 4.8). */
export class TaskStreams {
  readonly #readers = new Map<EventStream, string>()
  /** Limit for readers of all tasks together. */
  readonly #places = createAdmission(64)

  constructor(readonly timers: Timers = systemTimers) {}

  /** @throws AppError `overloaded` when there are too many readers. */
  open(taskId: string, live: LiveRun | undefined): Readable {
    const leave = enterOrRefuse(this.#places, 'readers of tasks')
    const close = (): void => {
      leave()
      this.#readers.delete(reader)
    }
    const reader = createEventStream(close, { timers: this.timers })
    this.#readers.set(reader, taskId)
    reader.send({ type: 'connected', taskId } satisfies TaskEvent)
    if (live) {
      reader.send(started(live.row))
      for (const chunk of live.chunks()) reader.send(written(live.row.id, chunk))
    }
    return reader.readable
  }

  /** Tasks with readers. */
  tasks(): ReadonlySet<string> {
    return new Set(this.#readers.values())
  }

  started(row: TaskRunRow): void {
    for (const reader of this.#of(row.task_id)) reader.send(started(row))
  }

  wrote({ id, task_id }: Pick<TaskRunRow, 'id' | 'task_id'>, chunk: OutputChunk): void {
    for (const reader of this.#of(task_id)) reader.sendIfRead(written(id, chunk))
  }

  completed(row: TaskRunRow): void {
    for (const reader of this.#of(row.task_id))
      reader.send({ type: 'run-completed', run: toRunSummary(row) } satisfies TaskEvent)
  }

  /** @param taskId ends the streams of one task; all unless given. */
  end(taskId?: string): void {
    for (const reader of this.#of(taskId)) reader.end()
  }

  #of(taskId?: string): EventStream[] {
    return [...this.#readers].flatMap(([reader, of]) =>
      taskId === undefined || of === taskId ? [reader] : [],
    )
  }
}

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

const started = (row: TaskRunRow): TaskEvent => ({ type: 'run-started', run: toRunSummary(row) })

const written = (runId: string, chunk: OutputChunk): TaskEvent => ({ type: 'run-output', runId, ...chunk })
