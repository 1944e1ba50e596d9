import type { Readable } from 'node:stream'
import type { TaskEvent } from '../../../contract/agents/tasks.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { TaskRunRow } from '../../../store/tables/agents/task-runs.js'
import { createAdmission, enterOrRefuse } from '../../platform/http/admission.js'
import { createEventStream, type EventStream } from '../../platform/http/event-stream.js'
import type { OutputChunk } from './run-output.js'
import { toRunSummary } from './task-record.js'

/** A run in progress, with its output so far for late readers. */
export interface LiveRun {
  row: TaskRunRow
  chunks(): OutputChunk[]
}

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

const started = (row: TaskRunRow): TaskEvent => ({ type: 'run-started', run: toRunSummary(row) })

const written = (runId: string, chunk: OutputChunk): TaskEvent => ({ type: 'run-output', runId, ...chunk })
