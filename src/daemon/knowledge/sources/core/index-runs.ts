import { storageFault } from '../../../../lib/files/storage-fault.js'
import { systemTimers, type Timers } from '../../../../lib/time/timers.js'
import type { SourceJobRow } from '../../../../store/tables/knowledge/sources.js'
import { isFrozen } from '../../../ground/settings/pipeline-mode.js'
import { createPeriodicWork, hasNodeDuty } from '../../../platform/jobs/periodic-work.js'
import type { DaemonEvent, Worker } from '../../../platform/jobs/worker.js'
import { kindOf, kindsOf } from './kind.js'
import type { RunControl } from './read-source.js'
import { type PassDeps, RunEnded } from './run-pass.js'

interface Run {
  life: AbortController
  ended: Promise<void>
  /** True once the pass has ended and the run only follows changes. */
  following: boolean
  /** True if the run keeps the daemon alive. */
  holds: boolean
  /** The job's request counter when the run began. */
  requests: number
}

/** Passes that run at the same time; runs that only follow changes are not counted. */
const passesAtOnce = 2
/** How often it looks for requests that another daemon of the database got. */
const lookEveryMs = 1000

/**
 * Reads sources in the background, one pass at a time for each source (sources.md#the-index-job). The queue
 * is the table of index jobs, so a restart continues after a stop or a crash.
 */
export class SourceRuns implements Worker {
  readonly #deps: PassDeps
  readonly #timers: Timers
  readonly #runs = new Map<string, Run>()
  readonly #cancels = new Map<string, () => void>()
  #looking: Promise<void> | undefined
  /** Another daemon may have been asked to pause, remove or read a source of this one. */
  readonly #looksElsewhere: Worker
  #isWanted = false
  #isOpen = false
  #hasDuty = false

  constructor(deps: PassDeps, timers: Timers = systemTimers) {
    this.#deps = deps
    this.#timers = timers
    this.#looksElsewhere = createPeriodicWork({
      everyMs: lookEveryMs,
      timers,
      run: () => this.#lookElsewhere(),
      onError: error =>
        deps.log.warn({ err: error }, 'requests for sources at other daemons were not looked at'),
    })
  }

  start(): void {
    this.#isOpen = true
    void this.#reconcileAll().finally(() => {
      this.look()
      if (this.#deps.store.tables.nodes.own !== null) this.#looksElsewhere.start()
    })
  }

  hear(event: DaemonEvent): void {
    if (event === 'thawed' || event === 'returned' || event === 'elsewhere') this.look()
  }

  busy(): boolean {
    return this.#looking !== undefined || [...this.#runs.values()].some(({ holds }) => holds)
  }

  async close(): Promise<void> {
    this.#isOpen = false
    for (const cancel of this.#cancels.values()) cancel()
    await this.#looking
    await this.#looksElsewhere.close()
    await Promise.all([...this.#runs.keys()].map(id => this.end(id, 'stopped')))
  }

  /** Returns the ids of sources that are being read or followed. */
  running(): string[] {
    return [...this.#runs.keys()]
  }

  /** Starts queued jobs. */
  look(): void {
    this.#isWanted = true
    if (!this.#isOpen || this.#looking) return
    this.#looking = this.#lookUntilDone()
      .catch(error => this.#deps.log.warn({ err: error }, 'source index jobs not checked'))
      .finally(() => {
        this.#looking = undefined
        if (this.#isWanted) this.look()
      })
  }

  /** Ends the current run of a source and waits until it has ended. */
  async end(sourceId: string, why: RunEnded['why']): Promise<void> {
    this.#cancels.get(sourceId)?.()
    const run = this.#runs.get(sourceId)
    run?.life.abort(new RunEnded(why))
    await run?.ended
  }

  async #lookElsewhere(): Promise<void> {
    const { sourceJobs } = this.#deps.store.tables
    const asked = this.#runs.size === 0 ? [] : await sourceJobs.asked(this.running())
    for (const { id, removed_at: removedAt } of asked)
      await this.end(id, removedAt === null ? 'paused' : 'removed')
    if ((await sourceJobs.queued()).length > 0) this.look()
  }

  async #lookUntilDone(): Promise<void> {
    const { store, clock } = this.#deps
    while (this.#isWanted && this.#isOpen) {
      this.#isWanted = false
      if (isFrozen(this.#deps) || !(await this.#takeOver())) return
      await store.tables.sourceJobs.requeueDue(clock().toISOString())
      await this.#requeueFollowed()
      for (const job of await store.tables.sourceJobs.queued()) await this.#begin(job)
      await this.#waitForRetry()
    }
  }

  /** Of several daemons one reads the sources. @returns false on the others */
  async #takeOver(): Promise<boolean> {
    const { store, clock } = this.#deps
    const had = this.#hasDuty
    this.#hasDuty = await hasNodeDuty(this.#deps, 'sources')
    // The daemon that had them before is gone.
    if (this.#hasDuty && !had)
      await store.tables.sourceJobs.requeueRunning(this.running(), clock().toISOString())
    return this.#hasDuty
  }

  /** The job of a followed source stays `running`; if another pass was requested, it is queued again. */
  async #requeueFollowed(): Promise<void> {
    const { sourceJobs } = this.#deps.store.tables
    for (const [id, { following, holds, requests }] of this.#runs) {
      if (!following || !holds) continue
      const job = await sourceJobs.of(id)
      if (job?.status === 'running' && job.requests !== requests)
        await sourceJobs.change(id, { status: 'queued' })
    }
  }

  async #begin(job: SourceJobRow): Promise<void> {
    const { source_id: id } = job
    const known = this.#runs.get(id)
    // A new pass replaces a run that only follows changes.
    if (known?.following) await this.end(id, 'again')
    const passes = [...this.#runs.values()].filter(({ following }) => !following).length
    if (!this.#isOpen || this.#runs.has(id) || passes >= passesAtOnce) return
    const { requests } = job
    const run: Run = {
      life: new AbortController(),
      ended: Promise.resolve(),
      following: false,
      holds: true,
      requests,
    }
    this.#runs.set(id, run)
    const reading: RunControl = {
      signal: run.life.signal,
      onRescan: () => void this.#askAgain(id),
      onFollowing: ({ holds }) => {
        run.following = true
        run.holds = holds
        this.#reconcileLater(id)
        this.look()
      },
    }
    run.ended = import('./read-source.js')
      .then(({ readSource }) => readSource(this.#deps, job, reading))
      .catch(error => {
        if (!storageFault(error)) this.#deps.log.error({ err: error, source: id }, 'source not read')
      })
      .finally(() => {
        this.#runs.delete(id)
        if (!run.following) this.#reconcileLater(id)
        this.look()
      })
  }

  async #waitForRetry(): Promise<void> {
    const { store, clock } = this.#deps
    const due = await store.tables.sourceJobs.nextRetry()
    if (due !== undefined) this.#after('', Date.parse(due) - clock().getTime(), () => this.look())
  }

  /**
   * Changes made while the daemon was not running were not observed, so each reconciled kind is read once at
   * start.
   */
  async #reconcileAll(): Promise<void> {
    const reconciled = kindsOf(this.#deps).filter(({ reconcileEveryMs }) => reconcileEveryMs !== undefined)
    for (const source of await this.#deps.store.tables.sources.all())
      if (reconciled.some(({ kind }) => kind === source.kind)) await this.#askAgain(source.id)
  }

  #reconcileLater(sourceId: string): void {
    void this.#deps.store.tables.sources
      .load(sourceId)
      .then(source => {
        const everyMs = source && kindOf(this.#deps, source.kind)?.reconcileEveryMs
        if (everyMs && this.#isOpen) this.#after(sourceId, everyMs, () => void this.#askAgain(sourceId))
      })
      .catch(error =>
        this.#deps.log.warn({ err: error, source: sourceId }, 'next check of a source not scheduled'),
      )
  }

  /** Requests a pass without a caller; a paused source stays paused. */
  async #askAgain(sourceId: string): Promise<void> {
    const { store, clock, log } = this.#deps
    try {
      const job = await store.tables.sourceJobs.of(sourceId)
      if (job?.status === 'paused' || isFrozen(this.#deps)) return
      await store.write({ until: 'committed' }, ({ sourceJobs }) =>
        sourceJobs.request(sourceId, { full: false, now: clock().toISOString() }),
      )
      this.look()
    } catch (error) {
      log.warn({ err: error, source: sourceId }, 'sync of a source not queued')
    }
  }

  #after(key: string, ms: number, work: () => void): void {
    this.#cancels.get(key)?.()
    this.#cancels.set(key, this.#timers.after(Math.max(0, ms), work))
  }
}
