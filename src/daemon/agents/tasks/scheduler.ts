import type { TaskRunSummary } from '../../../contract/agents/tasks.js'
import { AppError } from '../../../contract/ground/errors.js'
import { cancelledByCaller } from '../../../contract/ground/wire-names.js'
import { quoted } from '../../../lib/text/clip.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { OpenRun, RunEnd, TaskRow, TaskRunRow } from '../../../store/tables/agents/tasks.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork, hasNodeDuty } from '../../platform/jobs/periodic-work.js'
import type { DaemonEvent, Worker } from '../../platform/jobs/worker.js'
import type { ExecuteDeps } from './execute-run.js'
import { RunOutput } from './run-output.js'
import { queueDueRuns, recomputeNextRuns, zoneOf } from './schedule.js'
import { requireTask, taskNotFound, toRunSummary } from './task-record.js'
import { RunsElsewhere, TaskStreams } from './task-streams.js'

/** How often the scheduler checks for due tasks (tasks.md 8). */
const checkEveryMs = 15_000
/** How often it looks at runs that other daemons have or want, where several serve the database. */
const lookEveryMs = 1000
/** Runs kept per task, and how many of them keep their complete output (tasks.md#runs). */
const keptRuns = 50
const wholeOutputs = 5
const shortOutput = 16_384
/** Error of runs that end with their daemon (tasks.md 3.4). */
const withDaemon = 'daemon_restart'

type Deps = ExecuteDeps & Pick<Daemon, 'store' | 'clock' | 'newId'>

interface ActiveRun {
  row: TaskRunRow
  output: RunOutput
  stop: AbortController
  ended: Promise<void>
}

/**
 * Starts due tasks, a few at a time and none twice. Due times and runs are in the database; this object holds
 * only the runs in progress.
 */
export class Scheduler implements Worker {
  readonly streams: TaskStreams
  /** Distinguishes its runs from those another daemon left. */
  readonly #daemon: string
  readonly #life = new AbortController()
  readonly #active = new Map<string, ActiveRun>()
  /** Ended runs whose result could not be written yet. */
  readonly #unwritten = new Map<TaskRunRow, RunEnd>()
  readonly #leaving = new Set<Promise<void>>()
  #enabled = 0
  #checking: Promise<void> | undefined
  #checkAgain = false
  #aligned = { zone: '', at: 0 }
  #endTimer = (): void => {}
  readonly #elsewhere: RunsElsewhere
  /** Another daemon may have queued a run, or have been asked to end one. */
  readonly #looks: Worker
  #started = false
  #orphansFailed = false

  /** @param ready resolves when no process of a previous daemon is running. */
  constructor(
    readonly deps: Deps,
    readonly ready: () => Promise<void>,
    readonly timers: Timers = systemTimers,
  ) {
    this.#daemon = deps.newId()
    this.streams = new TaskStreams(timers)
    const { streams } = this
    this.#elsewhere = new RunsElsewhere({ deps, streams, active: this.#active, signal: this.#life.signal })
    this.#looks = createPeriodicWork({
      everyMs: lookEveryMs,
      timers,
      run: async () => {
        await this.#elsewhere.look()
        if ((await deps.store.tables.taskRuns.pending(1)).length > 0) await this.checkDue()
      },
      onError: error => deps.log.warn({ err: error }, 'runs of tasks at other daemons were not looked at'),
    })
  }

  start(): void {
    void this.ready().then(() => {
      if (this.#life.signal.aborted) return
      this.#started = true
      void this.checkDue()
      this.#endTimer = this.timers.every(checkEveryMs, () => void this.checkDue())
      if (this.#isShared) this.#looks.start()
    })
  }

  /** The daemon stays up while a task may become due. */
  busy(): boolean {
    return (
      this.#enabled > 0 || this.#active.size > 0 || this.#unwritten.size > 0 || this.#checking !== undefined
    )
  }

  hear(event: DaemonEvent): void {
    if (event === 'returned') void this.checkDue()
  }

  stopping(): void {
    this.#life.abort()
    this.#endTimer()
    void this.#looks.close()
    for (const { stop } of this.#active.values()) stop.abort(withDaemon)
    this.streams.end()
  }

  async close(): Promise<void> {
    this.stopping()
    await this.#looks.close()
    await this.#checking
    await Promise.all([...this.#active.values()].map(({ ended }) => ended))
    await Promise.all(this.#leaving)
    await this.#writeEnds()
  }

  /**
   * Fails runs that other daemons left open (tasks.md 3.4). Once is enough, since one daemon at a time has
   * the tasks.
   */
  async failOrphanedRuns(): Promise<void> {
    if (this.#orphansFailed || !(await this.#hasDuty())) return
    const end = { status: 'failed', error: withDaemon, completed_at: this.#now() }
    const lost = await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
      const left = await taskRuns.leftBy(this.#daemon)
      for (const { id, task_id } of left) {
        await taskRuns.lose(id, end)
        await tasks.noteRun(task_id, end.status)
      }
      return Promise.all(left.map(({ id }) => taskRuns.find(id)))
    })
    // Readers that connected before this saw the runs as running and wait for their end.
    for (const row of lost) if (row) this.streams.completed(row)
    this.#enabled = await this.deps.store.tables.tasks.countEnabled()
    this.#orphansFailed = true
  }

  /**
   * Checks for due tasks; a call during a check triggers another one after it. Never throws: the next check
   * tries again.
   */
  async checkDue(): Promise<void> {
    if (!this.#started || this.#life.signal.aborted) return
    this.#checkAgain = true
    this.#checking ??= this.#checkWhileRequested().finally(() => {
      this.#checking = undefined
    })
    await this.#checking
  }

  /**
   * Runs a task now, or as soon as a slot is free.
   * @throws AppError `not_found`, `already_running`, `overloaded` while the daemon stops.
   */
  async admit(taskId: string): Promise<{ runId: string; status: 'pending' | 'running' }> {
    if (this.#life.signal.aborted)
      throw new AppError('overloaded', 'the daemon is stopping; run the task again shortly')
    // Requests may arrive before recovery: a run left by a killed daemon must not count as running.
    await this.failOrphanedRuns()
    const runId = this.deps.newId()
    await this.deps.store.transaction(async ({ tasks, taskRuns }) => {
      const { name } = await requireTask({ tasks }, taskId)
      const row = { id: runId, task_id: taskId, trigger_kind: 'manual', daemon: this.#daemon }
      if (!(await taskRuns.addPending({ ...row, created_at: this.#now() })))
        throw alreadyRunning(name, await taskRuns.openOf(taskId))
      await tasks.noteRun(taskId, 'pending')
    })
    await this.checkDue()
    const run = await this.deps.store.tables.taskRuns.find(runId)
    return { runId, status: run?.status === 'pending' ? 'pending' : 'running' }
  }

  /**
   * Ends the open run of a task: a waiting one at once, a running one with every process it started.
   * @returns the run once it has ended. @throws AppError `not_found`, `conflict` when none is open.
   */
  async cancel(taskId: string): Promise<TaskRunSummary> {
    await this.failOrphanedRuns()
    const open = await this.#openRun(taskId)
    if (!(await this.#endWaiting(open))) {
      // The run may be starting right now; after the check it is among the active ones.
      await this.checkDue()
      const active = this.#active.get(open.id)
      active?.stop.abort(cancelledByCaller)
      await active?.ended
      if (!active && this.#isShared) await this.#elsewhere.end(open.id, cancelledByCaller)
    }
    const row = await this.deps.store.tables.taskRuns.find(open.id)
    if (!row) throw taskNotFound(taskId)
    return toRunSummary(row)
  }

  /** Removes a task with its runs and ends a running one. @throws AppError `not_found` */
  async remove(taskId: string): Promise<void> {
    if (!(await this.deps.store.transaction(({ tasks }) => tasks.remove(taskId)))) throw taskNotFound(taskId)
    for (const { row, stop } of this.#active.values())
      if (row.task_id === taskId) stop.abort('the task was removed')
    this.streams.end(taskId)
    await this.checkDue()
  }

  /** Streams events of a task from now on. @throws AppError `not_found`, `overloaded` */
  async follow(taskId: string): Promise<ReturnType<TaskStreams['open']>> {
    await requireTask(this.deps.store.tables, taskId)
    const active = [...this.#active.values()].find(({ row }) => row.task_id === taskId)
    return this.streams.open(taskId, active && { row: active.row, chunks: () => active.output.chunks() })
  }

  /** Output of a run in progress; undefined for any other. */
  written(runId: string): ReturnType<RunOutput['text']> | undefined {
    return this.#active.get(runId)?.output.text()
  }

  async #openRun(taskId: string): Promise<OpenRun> {
    const { tasks, taskRuns } = this.deps.store.tables
    const { name } = await requireTask({ tasks }, taskId)
    const open = await taskRuns.openOf(taskId)
    if (open) return open
    throw new AppError('conflict', `task ${quoted(name)} is not running; there is nothing to cancel`)
  }

  /** @returns false for a run that is no longer waiting. */
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

  async #checkWhileRequested(): Promise<void> {
    while (this.#checkAgain && !this.#life.signal.aborted) {
      this.#checkAgain = false
      try {
        await this.#writeEnds()
        if (!(await this.#hasDuty())) continue
        await this.failOrphanedRuns()
        await this.#keepAligned()
        await queueDueRuns(this.deps, this.#daemon, this.#life.signal)
        await this.#startWaiting()
        this.#enabled = await this.deps.store.tables.tasks.countEnabled()
      } catch (error) {
        this.deps.log.warn({ err: error }, 'task schedule check failed; the next check tries again')
      }
    }
  }

  get #isShared(): boolean {
    return this.deps.store.tables.nodes.own !== null
  }

  /** Of several daemons one runs the tasks. */
  #hasDuty(): Promise<boolean> {
    return hasNodeDuty(this.deps, 'tasks')
  }

  /** Recomputes only at a start, after the clock went back or with another time zone: it takes long. */
  async #keepAligned(): Promise<void> {
    if ((await this.deps.store.tables.tasks.countEnabled()) === 0) return
    const [zone, at] = [zoneOf(this.deps), this.deps.clock().getTime()]
    if (zone !== this.#aligned.zone || at < this.#aligned.at)
      await recomputeNextRuns(this.deps, this.#life.signal)
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
        onOutput: chunk => this.streams.wrote(row, chunk),
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
        this.deps.log.warn(
          { err: error, run: row.id },
          'the result of a task run could not be written; trying again',
        ),
      )
      this.#active.delete(row.id)
      this.streams.completed({ ...row, ...ended })
      void this.checkDue()
    }
    this.streams.started(row)
    this.#active.set(row.id, { row, output, stop, ended: work() })
  }

  /** Processes that a run left behind are being ended; the daemon waits for them. */
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
    `task ${quoted(name)} is already running or queued; run it again when that run has ended`,
    undefined,
    { fields: { status: 'already_running', ...(open && { runId: open.id }) } },
  )
}

/** The scheduler of each daemon. */
export const schedulers = createDaemonState<Scheduler>()
