import type { Readable } from 'node:stream'
import type { TaskEvent } from '../../../contract/agents/tasks.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { TaskRunRow } from '../../../store/tables/agents/task-runs.js'
import { createAdmission, enterOrRefuse } from '../../platform/http/admission.js'
import { createEventStream, type EventStream } from '../../platform/http/event-stream.js'
import type { OutputPiece } from './run-output.js'
import { toToldRun } from './task-record.js'

/** What runs now, for who comes late. */
export interface LiveRun {
  row: TaskRunRow
  pieces(): OutputPiece[]
}

/** Those who read what tasks do, as it happens (tasks.md 4.8). */
export class TaskStreams {
  readonly #readers = new Map<EventStream, string>()
  /** Readers of all tasks together. */
  readonly #places = createAdmission(64)

  constructor(readonly timers: Timers = systemTimers) {}

  /** @throws AppError `overloaded` when there are too many. */
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
      for (const piece of live.pieces()) reader.send(written(live.row.id, piece))
    }
    return reader.readable
  }

  started(row: TaskRunRow): void {
    for (const reader of this.#of(row.task_id)) reader.send(started(row))
  }

  wrote({ id, task_id }: Pick<TaskRunRow, 'id' | 'task_id'>, piece: OutputPiece): void {
    for (const reader of this.#of(task_id)) reader.sendIfRead(written(id, piece))
  }

  completed(row: TaskRunRow): void {
    for (const reader of this.#of(row.task_id))
      reader.send({ type: 'run-completed', run: toToldRun(row) } satisfies TaskEvent)
  }

  /** @param taskId all tasks unless given. */
  end(taskId?: string): void {
    for (const reader of this.#of(taskId)) reader.end()
  }

  #of(taskId?: string): EventStream[] {
    return [...this.#readers].flatMap(([reader, of]) =>
      taskId === undefined || of === taskId ? [reader] : [],
    )
  }
}

const started = (row: TaskRunRow): TaskEvent => ({ type: 'run-started', run: toToldRun(row) })

const written = (runId: string, piece: OutputPiece): TaskEvent => ({ type: 'run-output', runId, ...piece })
