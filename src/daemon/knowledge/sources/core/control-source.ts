import { setTimeout as after } from 'node:timers/promises'
import type { IndexJob, SourceRecord } from '../../../../contract/knowledge/sources/source-record.js'
import type { NamedAgent } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { findRowToChange, findSourceToChange } from './find-source.js'
import { kindOf } from './kind.js'
import { toSource } from './run-pass.js'
import { purgesOf, runsOf, type SourceDeps } from './runs.js'
import { jobRecordOf, sourceRecordOf } from './source-record.js'

/** The longest time a caller waits for the purge; the rest continues in the background. */
const waitMs = 2000

interface RemovedSource {
  source: SourceRecord
  purged: number
  pending?: true
  cleanupPending?: true
}

interface SourceSelector {
  id: string
  named: NamedAgent | undefined
}

/** The index job of a source after a request changed it. */
export interface JobReply {
  job: IndexJob & { sourceId: string }
}

/** Queues another pass over a source; a running pass ends first (sources.md#the-index-job). */
export async function syncSource(
  deps: SourceDeps,
  caller: Caller,
  { full, ...wanted }: SourceSelector & { full: boolean },
): Promise<JobReply> {
  const { id } = await findSourceToChange(deps, caller, wanted)
  const now = deps.clock().toISOString()
  await deps.store.transaction(({ sourceJobs }) => sourceJobs.request(id, { full, now }))
  runsOf(deps).look()
  return replyOf(deps, id)
}

/** Stops reading and following a source until it is resumed. */
export async function pauseSource(
  deps: SourceDeps,
  caller: Caller,
  wanted: SourceSelector,
): Promise<JobReply> {
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
  // Noted before, so that no run begins, and again after, because the ending run may overwrite the status.
  await note()
  await runsOf(deps).end(id, 'paused')
  await note()
  return replyOf(deps, id)
}

/** Continues a paused source where it stopped; a source that is not paused is left unchanged. */
export async function resumeSource(
  deps: SourceDeps,
  caller: Caller,
  wanted: SourceSelector,
): Promise<JobReply> {
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
  return { job: { ...(await jobRecordOf(deps, job)), sourceId } }
}

/**
 * Removes a source: first writes its tombstone, then deletes its artifacts in slices (sources.md#removing). A
 * repeated call continues with the rest. The external place itself is not touched.
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
