import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import {
  maxSnapshotBytes,
  type SnapshotQuery,
} from '../../../../contract/knowledge/sources/source-snapshot.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import { assertNotFrozen } from '../../../ground/settings/frozen.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { keptByDaemon } from '../../../platform/daemon/kept-by-daemon.js'
import { spool } from '../../../platform/http/bodies/spool.js'
import { pauseSource } from '../core/control-source.js'
import { findSourceToChange } from '../core/find-source.js'
import { dropSnapshot, isLocalChat, pendingSnapshot, snapshotFile } from '../core/pending-snapshot.js'
import { readSnapshot } from '../core/read-snapshot.js'
import { runsOf, type SourceDeps } from '../core/runs.js'

export interface SnapshotRequest {
  id: string
  query: SnapshotQuery
  body: Readable
  /** Aborts when nobody waits any more; what was taken over is taken in all the same. */
  signal: AbortSignal
}

export interface SnapshotTaken {
  ok: true
  imported: number
  skipped: number
}

const firstWaitMs = 10
const longestWaitMs = 250

/**
 * Replaces the artifacts of a source by those of a snapshot (sources.md#snapshots): the whole body is stored and checked
 * first, then one pass takes it in. A kill before leaves the old artifacts, one after it the new ones.
 * @throws AppError `invalid_json`, `validation_failed`, `payload_too_large`, `not_found`, `conflict`
 */
export async function importSnapshot(
  deps: SourceDeps,
  caller: Caller,
  request: SnapshotRequest,
): Promise<SnapshotTaken> {
  const { id, query } = request
  const row = await findSourceToChange(deps, caller, { id, named: query })
  const busy = busyIn(deps)
  if (busy.has(id) || (await pendingSnapshot(deps, id)))
    throw new AppError('conflict', `another snapshot of ${id} is being taken in; try again once that is done`)
  busy.add(id)
  try {
    const before = await deps.store.tables.sourceJobs.of(id)
    const counts = await bringIn(deps, row, request)
    // A source that somebody paused is not read again because of this.
    if (before?.pause_reason === 'requested') await pauseSource(deps, caller, { id, named: query })
    return { ok: true, ...counts }
  } finally {
    busy.delete(id)
  }
}

/** Sources that a snapshot is on its way to, by daemon: a second one would take the file of the first. */
const busySources = keptByDaemon<Set<string>>()

function busyIn(deps: Pick<SourceDeps, 'store'>): Set<string> {
  return busySources.ofOrMade(deps, () => new Set())
}

async function bringIn(
  deps: SourceDeps,
  { id, kind }: SourceRow,
  { query, body, signal }: SnapshotRequest,
): Promise<Pick<SnapshotTaken, 'imported' | 'skipped'>> {
  const withLocal = query.includeLocalChatCache
  const file = snapshotFile(deps, id, withLocal)
  const counts = await takeOver(deps, { file, body, kind, withLocal })
  try {
    const now = deps.clock().toISOString()
    await deps.store.transaction(({ sourceJobs }) => sourceJobs.request(id, { full: false, now }))
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
  const runs = runsOf(deps)
  // A pass that runs would go on for as long as its source is large.
  await runs.end(id, 'stopped')
  runs.look()
  await taken(deps, id, signal)
  return counts
}

interface Arriving {
  file: string
  body: Readable
  kind: string
  withLocal: boolean
}

/** Stores the body and looks through all of it; under its last name it is whole and right. */
async function takeOver(
  { paths, newId }: Pick<SourceDeps, 'paths' | 'newId'>,
  { file, body, kind, withLocal }: Arriving,
): Promise<Pick<SnapshotTaken, 'imported' | 'skipped'>> {
  await mkdir(paths.snapshots, { recursive: true, mode: 0o700 })
  const partial = `${file}.${newId()}`
  const handle = await open(partial, 'wx', 0o600)
  try {
    await spool(handle, body, { maxBytes: maxSnapshotBytes, tooLarge })
    await handle.sync()
    const counts = { imported: 0, skipped: 0 }
    const seen = new Set<string>()
    const reading = readSnapshot(createReadStream(partial))
    for await (const artifact of reading.artifacts) {
      // One that stands there twice is one artifact: the last of them.
      if (seen.has(artifact.sourcePath)) continue
      seen.add(artifact.sourcePath)
      counts[!withLocal && isLocalChat(artifact, kind) ? 'skipped' : 'imported']++
    }
    assertSameKind(reading.source().kind, kind)
    await rename(partial, file)
    return counts
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Waits until the pass has taken it in. @throws AppError when that did not happen */
async function taken(deps: SourceDeps, id: string, signal: AbortSignal): Promise<void> {
  const { sources, sourceJobs } = deps.store.tables
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    const [row, job, pending] = await Promise.all([
      sources.load(id),
      sourceJobs.of(id),
      pendingSnapshot(deps, id),
    ])
    if (!row || row.removed_at !== null) {
      if (pending) await dropSnapshot(pending)
      throw new AppError('conflict', `the source ${id} was removed while the snapshot was taken in`)
    }
    if (!pending) return
    if (job?.status === 'failed') {
      await dropSnapshot(pending)
      throw new AppError(
        'conflict',
        `the snapshot was not taken in: ${job.status_message ?? 'its job failed'}`,
      )
    }
    if (job?.status === 'paused')
      throw new AppError(
        'conflict',
        `the source ${id} was paused; the snapshot is taken in when it is resumed`,
      )
    assertNotFrozen(deps)
    await after(waitMs)
  }
}

function assertSameKind(given: string, kind: string): void {
  if (given !== kind)
    throw new AppError(
      'validation_failed',
      `it is a snapshot of a source of the kind ${given}, and this one is ${kind}`,
    )
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', 'a snapshot has 256 MiB at most')
}
