import { setTimeout as after } from 'node:timers/promises'
import type { IndexJob, SourceRecord } from '../../../../contract/knowledge/sources/source-record.js'
import type { NamedAgent } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { findRowToChange, findSourceToChange } from './find-source.js'
import { kindOf } from './kind.js'
import { toSource } from './run-pass.js'
import { purgesOf, runsOf, type SourceDeps } from './runs.js'
import { shownJob, sourceRecordOf } from './source-record.js'

/** A caller waits so long for the purge; the rest goes on behind it. */
const waitMs = 2000

interface RemovedSource {
  source: SourceRecord
  purged: number
  pending?: true
  cleanupPending?: true
}

interface Wanted {
  id: string
  named: NamedAgent | undefined
}

/** The job of a source after a request for it. */
export interface JobReply {
  job: IndexJob & { sourceId: string }
}

/** Has a source read again, behind a reading that runs (sources.md#the-index-job). */
export async function syncSource(
  deps: SourceDeps,
  caller: Caller,
  { full, ...wanted }: Wanted & { full: boolean },
): Promise<JobReply> {
  const { id } = await findSourceToChange(deps, caller, wanted)
  const now = deps.clock().toISOString()
  await deps.store.transaction(({ sourceJobs }) => sourceJobs.request(id, { full, now }))
  runsOf(deps).look()
  return replyOf(deps, id)
}

/** Stops the reading of a source, and the following of its changes, until it is resumed. */
export async function pauseSource(deps: SourceDeps, caller: Caller, wanted: Wanted): Promise<JobReply> {
  const { id } = await findSourceToChange(deps, caller, wanted)
  const note = (): Promise<void> =>
    deps.store.transaction(({ sourceJobs }) =>
      sourceJobs.change(id, {
        status: 'paused',
        pause_reason: 'requested',
        retry_at: null,
        updated_at: deps.clock().toISOString(),
      }),
    )
  // Before, so that no run begins, and behind it, since the last words of the one that ends may say otherwise.
  await note()
  await runsOf(deps).end(id, 'paused')
  await note()
  return replyOf(deps, id)
}

/** Goes on with a source that is paused, where it was; any other is left as it is. */
export async function resumeSource(deps: SourceDeps, caller: Caller, wanted: Wanted): Promise<JobReply> {
  const { id } = await findSourceToChange(deps, caller, wanted)
  const job = await deps.store.tables.sourceJobs.of(id)
  if (job?.status === 'paused') {
    const now = deps.clock().toISOString()
    await deps.store.transaction(({ sourceJobs }) =>
      sourceJobs.change(id, {
        status: 'queued',
        pause_reason: null,
        retry_at: null,
        queued_at: now,
        updated_at: now,
      }),
    )
    runsOf(deps).look()
  }
  return replyOf(deps, id)
}

async function replyOf(deps: SourceDeps, sourceId: string): Promise<JobReply> {
  const job = await deps.store.tables.sourceJobs.of(sourceId)
  if (!job) throw new Error(`the source ${sourceId} has no index job`)
  return { job: { ...(await shownJob(deps, job)), sourceId } }
}

/**
 * Removes a source: its tombstone first, then what it brought, in slices (sources.md#removing). Asked for again it goes
 * on with what is left. The place itself is not touched.
 */
export async function removeSource(
  deps: SourceDeps,
  caller: Caller,
  wanted: { id: string; named: NamedAgent | undefined },
): Promise<RemovedSource> {
  const { store, clock } = deps
  const row = await findRowToChange(deps, caller, wanted)
  const source = await sourceRecordOf(deps, row)
  if (row.removed_at === null) {
    const kind = kindOf(deps, row.kind)
    await store.transaction(async tables => {
      if (!(await tables.sources.bury(row.id, clock().toISOString()))) return
      if (kind?.onBury) await kind.onBury(deps, tables, toSource(kind, row))
    })
    await runsOf(deps).end(row.id, 'removed')
  }
  const timer = new AbortController()
  const late = after(waitMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  const end = await Promise.race([purgesOf(deps).purge(row.id), late])
  timer.abort()
  if (end?.isDone) return { source, purged: end.artifacts }
  const purged = end?.artifacts ?? (await store.tables.sources.load(row.id))?.purged ?? row.artifacts
  return { source, purged, pending: true, ...(end && !end.isClean && { cleanupPending: true as const }) }
}
