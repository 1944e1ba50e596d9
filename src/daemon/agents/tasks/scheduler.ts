import { cancelledByCaller } from '../../../contract/agents/cancelled-run.js'
import type { TaskRunSummary } from '../../../contract/agents/tasks.js'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { OpenRun, RunEnd, TaskRunRow } from '../../../store/tables/agents/task-runs.js'
import type { TaskRow } from '../../../store/tables/agents/tasks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createDaemonState } from '../../platform/daemon/daemon-state.js'
import type { DaemonEvent, Worker } from '../../platform/jobs/worker.js'
import type { ExecuteDeps } from './execute-run.js'
import { RunOutput } from './run-output.js'
import { realign, takeDue, zoneOf } from './schedule.js'
import { noTask, requireTask, toToldRun } from './task-record.js'
import { TaskStreams } from './task-streams.js'

/** How often the scheduler looks what is due (tasks.md 8). */
const lookEveryMs = 15_000
/** Runs of a task that are kept, and those of them whose output is kept whole (tasks.md#runs). */
const keptRuns = 50
const wholeOutputs = 5
const shortOutput = 16_384
/** What ends a run together with its daemon (tasks.md 3.4). */
const withDaemon = 'daemon_restart'

type Deps = ExecuteDeps & Pick<Daemon, 'store' | 'clock' | 'newId'>

interface ActiveRun {
  row: TaskRunRow
  output: RunOutput
  stop: AbortController
  ended: Promise<void>
}

/**
 * Starts tasks when their time has come, a few at a time and none twice: what is due and what runs stands in the
 * database, this holds only what goes on now.
 */
export class Scheduler implements Worker {
  readonly streams: TaskStreams
  /** Tells its runs from those that another daemon left. */
  readonly #daemon: string
  readonly #life = new AbortController()
  readonly #active = new Map<string, ActiveRun>()
  /** Ended runs that the disk did not take yet. */
  readonly #unwritten = new Map<TaskRunRow, RunEnd>()
  readonly #leaving = new Set<Promise<void>>()
  #enabled = 0
  #looking: Promise<void> | undefined
  #lookAgain = false
  #aligned = { zone: '', at: 0 }
  #endTimer = (): void => {}
  #started = false
  #settled = false

  /** @param ready resolves when nothing of the daemon before runs any more. */
  constructor(
    readonly deps: Deps,
    readonly ready: () => Promise<void>,
    readonly timers: Timers = systemTimers,
  ) {
    this.#daemon = deps.newId()
    this.streams = new TaskStreams(timers)
  }

  start(): void {
    void this.ready().then(() => {
      if (this.#life.signal.aborted) return
      this.#started = true
      void this.look()
      this.#endTimer = this.timers.every(lookEveryMs, () => void this.look())
    })
  }

  /** The daemon stays up while a task may come due. */
  busy(): boolean {
    return (
      this.#enabled > 0 || this.#active.size > 0 || this.#unwritten.size > 0 || this.#looking !== undefined
    )
  }

  hear(event: DaemonEvent): void {
    if (event === 'returned') void this.look()
  }

  stopping(): void {
    this.#life.abort()
    this.#endTimer()
    for (const { stop } of this.#active.values()) stop.abort(withDaemon)
    this.streams.end()
  }

  async close(): Promise<void> {
    this.stopping()
    await this.#looking
    await Promise.all([...this.#active.values()].map(({ ended }) => ended))
    await Promise.all(this.#leaving)
    await this.#writeEnds()
  }

  /** Fails what other daemons left open (tasks.md 3.4); once is enough, since none runs beside this one. */
  async loseLeft(): Promise<void> {
    if (this.#settled) return
    const end = { status: 'failed', error: withDaemon, completed_at: this.#now() }
    const lost = await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
      const left = await taskRuns.leftBy(this.#daemon)
      for (const { id, task_id } of left) {
        await taskRuns.lose(id, end)
        await tasks.noteRun(task_id, end.status)
      }
      return Promise.all(left.map(({ id }) => taskRuns.find(id)))
    })
    // Who asked before this was settled saw them run, and waits for their end.
    for (const row of lost) if (row) this.streams.completed(row)
    this.#enabled = await this.deps.store.tables.tasks.countEnabled()
    this.#settled = true
  }

  /** Looks what is due, now or, while that goes on, again after it. Never throws: the next look tries again. */
  async look(): Promise<void> {
    if (!this.#started || this.#life.signal.aborted) return
    this.#lookAgain = true
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  /**
   * Has a task run now, or as soon as there is room.
   * @throws AppError `not_found`, `already_running`, `overloaded` while the daemon stops.
   */
  async admit(taskId: string): Promise<{ runId: string; status: 'pending' | 'running' }> {
    if (this.#life.signal.aborted)
      throw new AppError('overloaded', 'the daemon is stopping; run the task again shortly')
    // Requests are answered a moment before what a killed daemon left is settled: it must not pass for a run.
    await this.loseLeft()
    const runId = this.deps.newId()
    await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
      const { name } = await requireTask({ tasks }, taskId)
      const row = { id: runId, task_id: taskId, trigger_kind: 'manual', daemon: this.#daemon }
      if (!(await taskRuns.addPending({ ...row, created_at: this.#now() })))
        throw alreadyRunning(name, await taskRuns.openOf(taskId))
      await tasks.noteRun(taskId, 'pending')
    })
    await this.look()
    const run = await this.deps.store.tables.taskRuns.find(runId)
    return { runId, status: run?.status === 'pending' ? 'pending' : 'running' }
  }

  /**
   * Ends the open run of a task: one that waits at once, one that is under way with all it started.
   * @returns the run once it has ended. @throws AppError `not_found`, `conflict` when none is open.
   */
  async cancel(taskId: string): Promise<TaskRunSummary> {
    await this.loseLeft()
    const open = await this.#openRun(taskId)
    if (!(await this.#endWaiting(open))) {
      // It may have been begun this moment: a look that is under way knows it when it is over.
      await this.look()
      const active = this.#active.get(open.id)
      active?.stop.abort(cancelledByCaller)
      await active?.ended
    }
    const row = await this.deps.store.tables.taskRuns.find(open.id)
    if (!row) throw noTask(taskId)
    return toToldRun(row)
  }

  /** Removes a task with its runs, and ends the one that goes on. @throws AppError `not_found` */
  async remove(taskId: string): Promise<void> {
    if (!(await this.deps.store.transaction(({ tasks }) => tasks.remove(taskId)))) throw noTask(taskId)
    for (const { row, stop } of this.#active.values())
      if (row.task_id === taskId) stop.abort('the task was removed')
    this.streams.end(taskId)
    await this.look()
  }

  /** What a task does, from now on. @throws AppError `not_found`, `overloaded` */
  async follow(taskId: string): Promise<ReturnType<TaskStreams['open']>> {
    await requireTask(this.deps.store.tables, taskId)
    const active = [...this.#active.values()].find(({ row }) => row.task_id === taskId)
    return this.streams.open(taskId, active && { row: active.row, pieces: () => active.output.pieces() })
  }

  /** What a run that is under way wrote so far; undefined for any other. */
  written(runId: string): ReturnType<RunOutput['text']> | undefined {
    return this.#active.get(runId)?.output.text()
  }

  async #openRun(taskId: string): Promise<OpenRun> {
    const { tasks, taskRuns } = this.deps.store.tables
    const { name } = await requireTask({ tasks }, taskId)
    const open = await taskRuns.openOf(taskId)
    if (open) return open
    throw new AppError('conflict', `no run of the task ${quoted(name)} is under way: there is nothing to end`)
  }

  /** @returns false for a run that waits no more. */
  async #endWaiting({ id, task_id }: OpenRun): Promise<boolean> {
    const end = { status: 'failed', error: cancelledByCaller, completed_at: this.#now() }
    const row = await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
      if (!(await taskRuns.endWaiting(id, end))) return undefined
      await tasks.noteRun(task_id, end.status)
      return taskRuns.find(id)
    })
    if (row) this.streams.completed(row)
    return row !== undefined
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain && !this.#life.signal.aborted) {
      this.#lookAgain = false
      try {
        await this.#writeEnds()
        await this.#keepAligned()
        await takeDue(this.deps, this.#daemon, this.#life.signal)
        await this.#startWaiting()
        this.#enabled = await this.deps.store.tables.tasks.countEnabled()
      } catch (error) {
        this.deps.log.warn(
          { err: error },
          'the schedule of tasks was not looked at; the next look tries again',
        )
      }
    }
  }

  /** At a start, and when the clock went back or the time zone is another one, which takes long to find out. */
  async #keepAligned(): Promise<void> {
    if ((await this.deps.store.tables.tasks.countEnabled()) === 0) return
    const [zone, at] = [zoneOf(this.deps), this.deps.clock().getTime()]
    if (zone !== this.#aligned.zone || at < this.#aligned.at) await realign(this.deps, this.#life.signal)
    this.#aligned = { zone, at }
  }

  async #startWaiting(): Promise<void> {
    const { maxConcurrent } = this.deps.configuration().settings.tasks
    while (this.#active.size < maxConcurrent && !this.#life.signal.aborted) {
      const [waiting] = await this.deps.store.tables.taskRuns.pending(1)
      if (!waiting) return
      const begun = await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
        const now = this.#now()
        if (!(await taskRuns.begin(waiting.id, now))) return undefined
        await tasks.noteRun(waiting.task_id, 'running', now)
        return { task: await tasks.find(waiting.task_id), row: await taskRuns.find(waiting.id) }
      })
      if (begun?.task && begun.row) this.#run(begun.task, begun.row)
    }
  }

  #run(task: TaskRow, row: TaskRunRow): void {
    const [output, stop] = [new RunOutput(), new AbortController()]
    if (this.#life.signal.aborted) stop.abort(withDaemon)
    const work = async (): Promise<void> => {
      const { executeRun } = await import('./execute-run.js')
      const end = await executeRun(this.deps, {
        task,
        output,
        signal: stop.signal,
        onOutput: piece => this.streams.wrote(row, piece),
      })
      this.#keepLeaving(end.gone)
      const { text, isTruncated } = output.text()
      const ended: RunEnd = {
        status: end.status,
        exit_code: end.exitCode,
        output: text,
        output_truncated: isTruncated ? 1 : 0,
        error: end.error,
        completed_at: this.#now(),
      }
      this.#unwritten.set(row, ended)
      await this.#writeEnds().catch(error =>
        this.deps.log.warn({ err: error, run: row.id }, 'the end of a run is not written yet'),
      )
      this.#active.delete(row.id)
      this.streams.completed({ ...row, ...ended })
      void this.look()
    }
    this.streams.started(row)
    this.#active.set(row.id, { row, output, stop, ended: work() })
  }

  /** What a run left running is being ended; the daemon waits for it. */
  #keepLeaving(gone: Promise<void> = Promise.resolve()): void {
    const leaving = gone.finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }

  async #writeEnds(): Promise<void> {
    for (const [row, end] of this.#unwritten) {
      await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
        if (!(await taskRuns.end(row.id, end))) return
        await tasks.noteRun(row.task_id, end.status)
        await taskRuns.dropBehind(row.task_id, keptRuns)
        await taskRuns.shortenBehind(row.task_id, wholeOutputs, shortOutput)
      })
      this.#unwritten.delete(row)
    }
  }

  #now(): string {
    return this.deps.clock().toISOString()
  }
}

function alreadyRunning(name: string, open: { id: string } | undefined): AppError {
  return new AppError(
    'already_running',
    `the task ${quoted(name)} runs already, or waits for its turn; run it again when that has ended`,
    undefined,
    { fields: { status: 'already_running', ...(open && { runId: open.id }) } },
  )
}

/** The scheduler of each daemon. */
export const schedulers = createDaemonState<Scheduler>()
