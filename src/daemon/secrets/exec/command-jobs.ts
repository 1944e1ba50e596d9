import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { CommandBody, QueuedCommand } from '../../../contract/secrets/exec.js'
import { quoted } from '../../../lib/text/clip.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { decodedFolder, type FolderHeader } from '../../../lib/workspace/working-folder.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { assertNotElsewhere, takeWork } from '../../platform/nodes/held-work.js'
import { CommandJob, type CommandRequest, type Follower } from './command-job.js'
import { onThisMachine, valuesOf } from './injected-values.js'
import type { CommandDeps } from './run-command.js'

export interface CommandLimits {
  running: number
  /** Running and waiting commands together. */
  unfinished: number
  /** Ended commands that stay readable, and for how long. */
  kept: number
  keptMs: number
  /** Characters of all stored outputs together. */
  keptLength: number
  /** An attached command is cancelled without a reader after this time. */
  unreadMs: number
}

const defaultLimits: CommandLimits = {
  running: 8,
  unfinished: 64,
  kept: 200,
  keptMs: 3_600_000,
  keptLength: 32 * 1024 * 1024,
  unreadMs: 10_000,
}

type Deps = CommandDeps & Pick<Daemon, 'newId' | 'store'>

const workOf = (id: string) => `command:${id}` as const

/** The daemon's commands: a few run at a time, others wait in order, ended ones stay readable for a while. */
export class CommandJobs implements Worker {
  readonly #jobs = new Map<string, CommandJob>()
  readonly #waiting: CommandJob[] = []
  readonly #running = new Map<CommandJob, Promise<void>>()
  /** Processes of ended commands that are still running. */
  readonly #leaving = new Set<Promise<void>>()
  #closed = false

  constructor(
    readonly deps: Deps,
    readonly limits: CommandLimits = defaultLimits,
    readonly timers: Timers = systemTimers,
  ) {}

  start(): void {}

  busy(): boolean {
    return this.#unfinished() > 0
  }

  /** Starts no more commands and ends the running ones, whose readers would keep the daemon from closing. */
  stopping(): void {
    this.#closed = true
    for (const job of [...this.#waiting, ...this.#running.keys()]) this.#cancel(job, 'the daemon was stopped')
  }

  async close(): Promise<void> {
    this.stopping()
    await Promise.all(this.#running.values())
    await Promise.all(this.#leaving)
  }

  /**
   * Queues a command.
   * @throws AppError `rate_limited` when too many wait, `validation_failed` for an invalid folder, and the
   * errors of `valuesOf` for secrets on this machine
   */
  async admit(caller: CommandRequest['caller'], body: CommandBody): Promise<QueuedCommand> {
    const { secrets: references, cwd = this.deps.paths.root, command, timeoutMs, attached } = body
    this.#assertRoom()
    await assertFolder(cwd)
    await valuesOf(this.deps, onThisMachine(this.deps, references))
    // Other commands may have been admitted during the lookup.
    this.#assertRoom()
    const id = this.deps.newId()
    const createdAt = this.#now()
    const request = { caller, command, references, timeoutMs, cwd, attached }
    const job = new CommandJob(id, request, createdAt)
    this.#forgetOld()
    this.#jobs.set(id, job)
    this.#waiting.push(job)
    if (attached) this.#expectReader(job)
    this.#startNext()
    // Other daemons of the database then know which one to ask.
    await takeWork(this.deps, workOf(id)).catch(error =>
      this.deps.log.warn({ err: error, job: id }, 'command is not noted for other daemons'),
    )
    return { id, status: 'queued', createdAt, timeoutMs, cwd }
  }

  /** @throws AppError `not_found`, or `conflict` for a command of another daemon */
  async find(id: string): Promise<CommandJob> {
    this.#forgetOld()
    const job = this.#jobs.get(id)
    if (job) return job
    await assertNotElsewhere(this.deps, workOf(id), `command ${quoted(id)}`)
    throw new AppError(
      'not_found',
      `command ${quoted(id)} not found; the last ${this.limits.kept} commands are kept for ${this.limits.keptMs / 60_000} minutes after their end, until the daemon restarts`,
    )
  }

  /** Ends a command; an ended one stays unchanged. */
  async cancel(id: string): Promise<CommandJob> {
    const job = await this.find(id)
    this.#cancel(job, 'the command was cancelled')
    await this.#running.get(job)
    return job
  }

  /** @returns a function to call when the reader leaves */
  follow(job: CommandJob, follower: Follower): () => void {
    job.followers.add(follower)
    this.#startNext()
    return () => {
      job.followers.delete(follower)
      if (job.request.attached && job.followers.size === 0)
        this.#cancel(job, 'the reader of its output disconnected')
    }
  }

  #cancel(job: CommandJob, why: string): void {
    if (job.hasEnded) return
    job.cancel(why)
    const at = this.#waiting.indexOf(job)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    job.end(this.#now(), { status: 'failed', error: why })
  }

  #expectReader(job: CommandJob): void {
    this.timers.after(this.limits.unreadMs, () => {
      if (job.followers.size === 0) this.#cancel(job, 'its output had no reader')
    })
  }

  #startNext(): void {
    while (!this.#closed && this.#running.size < this.limits.running) {
      const at = this.#waiting.findIndex(({ request, followers }) => !request.attached || followers.size > 0)
      const [job] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (!job) return
      this.#running.set(job, this.#run(job))
    }
  }

  async #run(job: CommandJob): Promise<void> {
    job.begin(this.#now())
    const { runCommand } = await import('./run-command.js')
    const end = await runCommand(this.deps, job)
    job.end(this.#now(), end)
    const leaving = (end.gone ?? Promise.resolve()).finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
    this.#running.delete(job)
    this.#startNext()
  }

  #unfinished(): number {
    return this.#waiting.length + this.#running.size
  }

  #assertRoom(): void {
    if (this.#closed)
      throw new AppError('overloaded', 'the daemon is stopping; run the command again shortly')
    if (this.#unfinished() < this.limits.unfinished) return
    throw new AppError(
      'rate_limited',
      `${this.limits.unfinished} commands run or wait already; try again when one has ended`,
      undefined,
      { headers: { 'retry-after': '5' } },
    )
  }

  /** Forgets the commands that ended longest ago. */
  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter(job => job.hasEnded)
    const oldest = this.deps.clock().getTime() - this.limits.keptMs
    let length = ended.reduce((sum, { size }) => sum + size, 0)
    let count = ended.length
    const forgotten: CommandJob[] = []
    for (const job of ended) {
      const isOld = Date.parse(job.state.finishedAt ?? '') < oldest
      if (!isOld && count <= this.limits.kept && length <= this.limits.keptLength) continue
      this.#jobs.delete(job.id)
      forgotten.push(job)
      count--
      length -= job.size
    }
    const { deps } = this
    deps.store.tables.nodes
      .release(forgotten.map(({ id }) => workOf(id)))
      .catch(error => deps.log.warn({ err: error }, 'forgotten commands are still noted for other daemons'))
  }

  #now(): string {
    return this.deps.clock().toISOString()
  }
}

export const commandJobs = createDaemonState<CommandJobs>()

/**
 * Returns the folder in which a caller on this machine works, as its headers say; undefined if they say none,
 * if it is gone, and for a caller on another machine.
 */
export async function folderOf(
  caller: Caller,
  { 'x-service-cwd': cwd }: FolderHeader,
): Promise<string | undefined> {
  if (!isOnThisMachine(caller)) return undefined
  for (const folder of [decodedFolder(cwd), caller.folder])
    if (folder !== undefined && (await isFolder(folder))) return folder
  return undefined
}

/** @throws AppError `validation_failed` unless a command can run there */
async function assertFolder(cwd: string): Promise<void> {
  if (await isFolder(cwd)) return
  throw new AppError('validation_failed', `cwd ${quoted(cwd)} is not a folder; give an absolute path to one`)
}

async function isFolder(path: string): Promise<boolean> {
  return isAbsolute(path) && ((await stat(path).catch(() => undefined))?.isDirectory() ?? false)
}
