import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import { clip } from '../../../../lib/text/clip.js'
import type { SourceJobRow, SourceRow } from '../../../../store/tables/knowledge/sources.js'
import { noteLifecycle } from '../../../ground/recording/source-lifecycle.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { kindOf, type Source, SourceFailure, type SourceKind } from './kind.js'
import { dropSnapshot, pendingSnapshot, snapshotEvents } from './pending-snapshot.js'
import { type PassDeps, type PassEnd, passOf, RunEnded, toSource, writeEventsOf } from './run-pass.js'
import { EventWriter, SourceGone, SourcesFrozen } from './write-events.js'

type Deps = Pick<Daemon, 'store'>

/** Rows that are read as one page and changed in one transaction. */
const pageSize = 500

/**
 * Resolves the links of a source and counts the groups of artifacts that they connect. Skipped unless
 * artifacts have changed since the last time.
 */
async function followLinks(
  { store }: Deps,
  kind: SourceKind<unknown>,
  sourceId: string,
  signal: AbortSignal,
): Promise<void> {
  const source = await store.tables.sources.load(sourceId)
  if (source?.links_due !== 1) return
  // Cleared first: a change during this pass marks the links as due again.
  await store.write({ until: 'committed' }, ({ sources }) => sources.change(sourceId, { links_due: 0 }))
  const lead = kind.resolveLinks?.(await pathsOf({ store }, sourceId, signal))
  const groups = new LinkGroups()
  let links = 0
  for (let after = { artifactId: '', position: -1 }; ; ) {
    signal.throwIfAborted()
    const page = await store.tables.sourceNotes.linksAfter(sourceId, after, pageSize)
    const moved = page
      .map(link => ({ link, to: lead ? (lead(link.from_path, link.target) ?? null) : link.to_path }))
      .filter(({ link, to }) => {
        if (to !== null) {
          links++
          groups.join(link.from_path, to)
        }
        return to !== link.to_path
      })
    if (moved.length > 0)
      await store.write({ until: 'committed', shared: true, rows: moved.length }, async ({ sourceNotes }) => {
        for (const { link, to } of moved) await sourceNotes.leadTo(link, to)
      })
    const last = page.at(-1)
    if (!last || page.length < pageSize) break
    after = { artifactId: last.artifact_id, position: last.position }
    await nextTurn()
  }
  await store.write({ until: 'committed' }, ({ sources }) =>
    sources.change(sourceId, { links, communities: groups.count() }),
  )
}

async function pathsOf({ store }: Deps, sourceId: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = []
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const page = await store.tables.sourceArtifacts.knownAfter(sourceId, { after, limit: pageSize })
    for (const { path } of page) paths.push(path)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return paths
    after = last.path
    await nextTurn()
  }
}

/** Disjoint sets of linked paths (union-find). */
class LinkGroups {
  readonly #parents = new Map<string, string>()

  join(a: string, b: string): void {
    const [one, other] = [this.#rootOf(a), this.#rootOf(b)]
    if (one !== other) this.#parents.set(one, other)
  }

  /** Counts groups of at least two paths. */
  count(): number {
    const sizes = new Map<string, number>()
    for (const path of this.#parents.keys()) {
      const root = this.#rootOf(path)
      sizes.set(root, (sizes.get(root) ?? 0) + 1)
    }
    return [...sizes.values()].filter(size => size > 1).length
  }

  /**
   * Points every visited path directly at the root; otherwise long chains of links would be walked
   * repeatedly.
   */
  #rootOf(path: string): string {
    const passed: string[] = []
    let root = path
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root; ) {
      passed.push(root)
      root = parent
      parent = this.#parents.get(root)
    }
    for (const one of [path, ...passed]) this.#parents.set(one, root)
    return root
  }
}

/** The signal and callbacks of a run. */
export interface RunControl {
  signal: AbortSignal
  onRescan(): void
  /** Called when the pass has ended and the run starts to follow changes. */
  onFollowing(how: { holds: boolean }): void
}

/** Crashes in a row after which the job fails. */
const maxCrashes = 20
/** Delays of a job that is paused because the platform does not answer: 30 s at first, at most 30 min. */
const firstRetryMs = 30_000
const maxRetryMs = 30 * 60_000
const maxRetries = 10

/** Makes one pass over a source, records the outcome in its job, and then follows changes. */
export async function readSource(deps: PassDeps, job: SourceJobRow, reading: RunControl): Promise<void> {
  const { tables } = deps.store
  const row = await tables.sources.load(job.source_id)
  if (!row || row.removed_at !== null) return
  try {
    const kind = kindOf(deps, row.kind)
    if (!kind) throw new SourceFailure(`this release does not support sources of kind ${row.kind}`)
    if (job.attempts >= maxCrashes)
      throw new SourceFailure('the daemon ended unexpectedly each time it was read')
    const source = toSource(kind, row)
    const end = await onePass(deps, { kind, row, source, job }, reading.signal)
    if (end.status === 'complete' && end.failure === undefined && kind.follow)
      await followOn(deps, { kind, row, source, job }, reading)
  } catch (error) {
    await settle(deps, { row, job }, error)
  }
}

interface Run {
  kind: SourceKind<unknown>
  row: SourceRow
  source: Source<unknown>
  job: SourceJobRow
}

async function onePass(deps: PassDeps, run: Run, signal: AbortSignal): Promise<PassEnd> {
  const { kind, row, source, job } = run
  // An interrupted or paused pass continues; after a completed one a new pass begins.
  const snapshot = await pendingSnapshot(deps, row.id)
  const isNew = job.started_at === null || job.ended_at !== null || snapshot !== undefined
  const number = await begin(deps, run, isNew)
  const begun = isNew ? { scanned: 0, indexed: 0 } : { scanned: job.scanned, indexed: job.indexed }
  const writer = new EventWriter(deps, { sourceId: row.id, pass: number, begun })
  const pass = passOf(deps, row, isNew ? { ...job, resume_frontier: null } : job, { number, signal })
  const events = snapshot ? snapshotEvents(deps, row, pass, snapshot) : kind.read(deps, source, pass)
  const end = await writeEventsOf(writer, events, { signal })
  // Dropped before the job is complete: after a kill in between, the job reads the source itself.
  if (snapshot && end.status === 'complete') await dropSnapshot(snapshot)
  if (end.status === 'paused') {
    await pause(deps, job, end)
    await recordPassOutcome(deps, row, 'paused')
  } else {
    await followLinks(deps, kind, row.id, signal)
    await complete(deps, { ...run, number, isPartial: writer.isPartial }, end.failure)
  }
  return end
}

async function begin({ store, clock }: PassDeps, { row, job }: Run, isNew: boolean): Promise<number> {
  const now = clock().toISOString()
  return store.write({ until: 'committed' }, async tables => {
    const running = {
      status: 'running',
      partial: 1,
      pause_reason: null,
      retry_at: null,
      status_message: null,
    }
    const fresh = { started_at: now, scanned: 0, indexed: 0, total: null, resume_frontier: null }
    await tables.sourceJobs.change(row.id, {
      ...running,
      ended_at: null,
      updated_at: now,
      ...(isNew && fresh),
      ...(job.started_at === null && { started_at: now }),
    })
    return isNew ? tables.sources.nextPass(row.id) : row.pass
  })
}

/** Completes a pass. If another one was requested in the meantime, the job is queued again. */
async function complete(
  deps: PassDeps,
  { row, job, number, isPartial }: Run & { number: number; isPartial: boolean },
  failure: string | undefined,
): Promise<void> {
  const { store, clock } = deps
  const now = clock().toISOString()
  await store.write({ until: 'committed' }, async tables => {
    const present = await tables.sourceJobs.of(row.id)
    if (!present) return
    await tables.sourceJobs.change(row.id, {
      status: statusAfter(job, present, failure),
      status_message: failure === undefined ? null : clip(failure, 2000),
      partial: isPartial || failure !== undefined ? 1 : 0,
      is_full: isAskedAgain(job, present) ? present.is_full : 0,
      resume_frontier: null,
      attempts: 0,
      ended_at: now,
      updated_at: now,
    })
    if (failure !== undefined) return
    await tables.sources.change(row.id, { last_indexed_at: now })
    await tables.sourceNotes.dropFaultsBefore(row.id, number)
  })
  await recordPassOutcome(deps, row, failure === undefined ? 'complete' : 'failed')
}

/** Returns true if another pass was requested after this one had begun. */
function isAskedAgain(begun: SourceJobRow, present: SourceJobRow): boolean {
  return present.requests !== begun.requests
}

/** Returns the status of a job whose pass ended: a request or a pause in the meantime counts more. */
function statusAfter(begun: SourceJobRow, present: SourceJobRow, failure: string | undefined): string {
  // Another daemon may have been asked to pause it.
  if (present.status === 'paused' && present.pause_reason === 'requested') return 'paused'
  if (isAskedAgain(begun, present)) return 'queued'
  return failure === undefined ? 'complete' : 'failed'
}

/** Records one event per pass: the first success makes a source ready, later ones keep it fresh. */
async function recordPassOutcome(
  deps: PassDeps,
  row: SourceRow,
  outcome: 'complete' | 'failed' | 'paused',
): Promise<void> {
  const { sources, sourceJobs, sourceArtifacts } = deps.store.tables
  const present = await sources.load(row.id)
  const job = await sourceJobs.of(row.id)
  if (!present || !job?.started_at) return
  const { artifacts, chunks: passages } = present
  const now = deps.clock().getTime()
  const durationMs = now - Date.parse(job.started_at)
  const told = { kind: present.kind, isTranscripts: 'transcripts' in JSON.parse(present.settings) }
  await noteLifecycle(deps, { ...told, phase: 'indexing', outcome, artifacts, passages, durationMs })
  if (outcome !== 'complete') return
  const latest = await sourceArtifacts.latestUpdate(row.id)
  const phase = row.last_indexed_at === null ? 'readiness' : 'freshness'
  const lag = latest === null ? {} : { lagMs: Math.max(0, now - Date.parse(latest)) }
  await noteLifecycle(deps, { ...told, phase, artifacts, ...lag })
}

async function pause(
  { store, clock }: PassDeps,
  job: SourceJobRow,
  { reason, frontier, retryAfterMs }: Extract<PassEnd, { status: 'paused' }>,
): Promise<void> {
  const now = clock()
  const waitMs = retryAfterMs ?? Math.min(firstRetryMs * 2 ** job.attempts, maxRetryMs)
  await store.write({ until: 'committed' }, ({ sourceJobs }) =>
    sourceJobs.change(job.source_id, {
      status: 'paused',
      partial: 1,
      pause_reason: reason,
      resume_frontier: frontier,
      retry_at: reason === 'requested' ? null : new Date(now.getTime() + waitMs).toISOString(),
      attempts: Math.min(job.attempts + 1, maxRetries),
      updated_at: now.toISOString(),
    }),
  )
}

/** Follows changes until the run ends. The job stays open if the kind asks for it. */
async function followOn(
  deps: PassDeps,
  { kind, row, source, job }: Run,
  { signal, onRescan, onFollowing }: RunControl,
): Promise<void> {
  const { tables } = deps.store
  const present = await tables.sourceJobs.of(row.id)
  const { pass: number } = (await tables.sources.load(row.id)) ?? row
  if (!kind.follow || present?.status === 'queued') return
  const holds = kind.keepsJobOpen?.(source.settings) ?? false
  // `ended_at` stays set, so that a restart begins a new pass.
  if (holds) await tables.sourceJobs.change(row.id, { status: 'running' })
  onFollowing({ holds })
  const begun = { scanned: present?.scanned ?? 0, indexed: present?.indexed ?? 0 }
  const writer = new EventWriter(deps, { sourceId: row.id, pass: number, begun, isQuiet: !holds })
  const pass = passOf(deps, row, { is_full: 0, resume_frontier: null }, { number, signal })
  const end = await writeEventsOf(writer, kind.follow(deps, source, pass), { signal, onRescan })
  if (end.status === 'paused') await pause(deps, job, end)
  else if (holds || end.failure !== undefined)
    await complete(deps, { kind, row, source, job: present ?? job, number, isPartial: false }, end.failure)
}

/** Records in the job why a run was cut short. */
async function settle(deps: PassDeps, { row, job }: Pick<Run, 'row' | 'job'>, error: unknown): Promise<void> {
  const { store, clock, log } = deps
  const { id: sourceId } = row
  if (error instanceof SourceGone) return
  const change = async (
    fieldsOf: (present: SourceJobRow) => Partial<SourceJobRow> | undefined,
  ): Promise<void> => {
    await store.write({ until: 'committed' }, async ({ sourceJobs }) => {
      const present = await sourceJobs.of(sourceId)
      const fields = present && fieldsOf(present)
      if (fields) await sourceJobs.change(sourceId, { ...fields, updated_at: clock().toISOString() })
    })
  }
  if (error instanceof RunEnded) {
    // The caller that paused, removed or requested again has already written the new status.
    if (error.why === 'stopped')
      await change(({ status }) => (status === 'running' ? { status: 'queued' } : undefined))
    return
  }
  if (error instanceof SourcesFrozen)
    return change(() => ({
      status: 'queued',
      status_message: 'writes are frozen; it continues afterwards',
    }))
  const isExpected = error instanceof SourceFailure || error instanceof AppError
  if (!isExpected) log.error({ err: error, source: sourceId }, 'source not read')
  const text = isExpected ? error.message : 'it could not be read; see the log'
  await change(present => ({
    status: statusAfter(job, present, text),
    status_message: clip(text, 2000),
    ended_at: clock().toISOString(),
  }))
  await recordPassOutcome(deps, row, 'failed')
}
