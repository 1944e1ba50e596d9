import type { CodeJob } from '../../../contract/knowledge/code.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { removeCodeFile } from '../../../store/tables/knowledge/code-file.js'
import type { HeldName } from '../../../store/tables/platform/nodes.js'
import { type Job, type JobKind, newJob } from '../../ground/jobs/job-kind.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { assertNotElsewhere, releaseWork, takeWork } from '../../platform/nodes/held-work.js'
import type { CodeIndexer } from './index/code-indexer.js'
import { refuseLinks } from './index/indexing/index-folder.js'

type Deps = Pick<
  Daemon,
  | 'store'
  | 'projects'
  | 'clock'
  | 'newId'
  | 'log'
  | 'wake'
  | 'plugins'
  | 'configuration'
  | 'environment'
  | 'telemetry'
>

interface Run {
  root: string
  job: CodeJob
  /** Ends this run only. */
  life: AbortController
  ended: Promise<void>
}

interface CodeIndex {
  indexer: CodeIndexer
  /** Returns the path of a project's index. */
  fileOf(root: string): string
}

/** The error of a run that ended because the plugin was switched off. */
const switchedOff = 'the plugin service.codeindex was disabled'

const reading = { id: 'service.codeindex', capability: 'code:write' } as const

/**
 * Indexes the code of a project, which is the job's subject. The attempt limit is high because a killed
 * daemon uses up one.
 */
export const codeIndexJob: JobKind = { kind: 'code_index', maxAttempts: 20, isLocal: true }

/**
 * Runs the indexing of projects one at a time; a restart continues after a stop or a kill (code-index.md 3).
 */
export class CodeIndexRuns {
  readonly worker: JobWorker
  readonly #deps: Deps
  readonly #indexer: CodeIndexer
  readonly #fileOf: CodeIndex['fileOf']
  readonly #onRead: (root: string) => void
  #run: Run | undefined

  constructor(deps: Deps, { indexer, fileOf }: CodeIndex, onRead: (root: string) => void) {
    this.#deps = deps
    this.#indexer = indexer
    this.#fileOf = fileOf
    this.#onRead = onRead
    this.worker = createJobWorker(deps, {
      job: codeIndexJob,
      batchSize: 1,
      ready: () => deps.plugins.allows(reading),
      run: async ([job], signal) => {
        if (job) await this.#begin(job, signal)
      },
      isOwn: () => true,
    })
  }

  /**
   * Queues indexing, unless it is already queued or running.
   * @returns the id of the job
   */
  async queue(root: string, { full, named }: { full: boolean; named: boolean }): Promise<string> {
    const { store, clock } = this.#deps
    const now = clock().toISOString()
    const { project } = await this.#deps.projects.locate(root, { isHere: true, adds: true })
    const job = newJob(this.#deps, codeIndexJob, root)
    const id = await store.transaction(async ({ codeProjects, jobs }) => {
      await codeProjects.note({ root, project, named, now })
      const open = await jobs.enqueue(job, now)
      if (open === job.id) await codeProjects.change(root, { job: JSON.stringify(queuedJob(open, full)) })
      return open
    })
    this.worker.wake()
    return id
  }

  /** Records that changes of a project were indexed while following it. */
  async noteRead(root: string): Promise<void> {
    await this.#deps.store.write({ until: 'executed' }, ({ codeProjects }) =>
      codeProjects.change(root, { indexed_at: this.#deps.clock().toISOString() }),
    )
    this.#onRead(root)
  }

  /** Returns the last indexing job of a project with its progress. */
  jobOf({ root, job }: { root: string; job: string | null }): CodeJob | null {
    if (this.#run?.root === root) return this.#run.job
    return job === null ? null : (JSON.parse(job) as CodeJob)
  }

  /**
   * Cancels the running or queued indexing of a project.
   * @returns whether there was one
   */
  async cancel(root: string): Promise<boolean> {
    const { store, clock } = this.#deps
    const now = clock().toISOString()
    if (this.#run?.root === root) {
      this.#run.life.abort()
      await this.#run.ended
      return true
    }
    await assertNotElsewhere(this.#deps, workOf(root), `the indexing of ${quoted(root)}`)
    return store.transaction(async ({ codeProjects, jobs }) => {
      if ((await jobs.openJob(codeIndexJob.kind, root)) === undefined) return false
      await jobs.completeFor(codeIndexJob.kind, root, now)
      const row = await codeProjects.find(root)
      const job = row && this.jobOf(row)
      if (job) await codeProjects.change(root, { job: ended(job, 'cancelled', now) })
      return true
    })
  }

  async #begin({ id, subject: root }: Job, signal: AbortSignal): Promise<void> {
    const row = await this.#deps.store.tables.codeProjects.find(root)
    if (!row) return
    const full = this.jobOf(row)?.full ?? false
    const startedAt = this.#deps.clock().toISOString()
    const job: CodeJob = { ...queuedJob(id, full), state: 'running', startedAt }
    const run: Run = { root, job, life: new AbortController(), ended: Promise.resolve() }
    await takeWork(this.#deps, workOf(root))
    this.#run = run
    const work = this.#read(run, signal).finally(async () => {
      this.#run = undefined
      await releaseWork(this.#deps, workOf(root))
    })
    run.ended = work.catch(() => undefined)
    await work
  }

  async #read({ root, job, life }: Run, stop: AbortSignal): Promise<void> {
    const { log, clock, plugins, store } = this.#deps
    try {
      refuseLinks(this.#fileOf(root))
      if (job.full) removeCodeFile(this.#fileOf(root))
      const report = await this.#indexer.index({
        root,
        signal: AbortSignal.any([stop, life.signal]),
        onProgress: progress => {
          Object.assign(job, progress)
          if (!plugins.allows(reading)) life.abort(switchedOff)
        },
      })
      stop.throwIfAborted()
      life.signal.throwIfAborted()
      const { parsed, partial, unchanged, skipped, failed, removed } = report
      job.result = { read: parsed + partial, unchanged, skipped, failed, removed }
      const now = clock().toISOString()
      await store.tables.codeProjects.change(root, { indexed_at: now, job: ended(job, 'done', now) })
      log.info({ ...job.result }, 'project code indexed')
      this.#onRead(root)
    } catch (error) {
      if (stop.aborted || storageFault(error)) throw error
      const now = clock().toISOString()
      const isCancelled = life.signal.aborted
      if (!isCancelled) log.warn({ err: error }, 'project code not indexed')
      const fault = isCancelled ? reasonOf(life.signal) : clip((error as Error).message, 500)
      const state = isCancelled ? 'cancelled' : 'failed'
      await store.tables.codeProjects.change(root, { job: ended({ ...job, error: fault }, state, now) })
    }
  }
}

function workOf(root: string): HeldName {
  return `code:${root}`
}

function queuedJob(id: string, full: boolean): CodeJob {
  const unknown = { phase: null, done: 0, total: 0, result: null }
  return { id, state: 'waiting', full, ...unknown, startedAt: null, endedAt: null, error: null }
}

function ended(job: CodeJob, state: CodeJob['state'], now: string): string {
  return JSON.stringify({ ...job, state, endedAt: now })
}

function reasonOf({ reason }: AbortSignal): string | null {
  return typeof reason === 'string' ? reason : null
}
