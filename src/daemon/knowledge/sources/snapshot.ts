import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { maxSnapshotBytes, type SnapshotQuery } from '../../../contract/knowledge/sources/source-snapshot.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import type { ArtifactRow } from '../../../store/tables/knowledge/source-artifacts.js'
import type { SourceRow } from '../../../store/tables/knowledge/sources.js'
import { assertNotFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import { spool } from '../../platform/http/bodies/spool.js'
import { assertNodeDuty } from '../../platform/nodes/held-work.js'
import { pauseSource } from './core/control-source.js'
import { findSource, findSourceToChange } from './core/find-source.js'
import { dropSnapshot, isLocalChat, pendingSnapshot, snapshotFile } from './core/pending-snapshot.js'
import { readSnapshot } from './core/read-snapshot.js'
import { runsOf, type SourceDeps } from './core/runs.js'
import { sourceRecordOf } from './core/source-record.js'

export interface SnapshotRequest {
  id: string
  query: SnapshotQuery
  body: Readable
  /** Aborts when the caller disconnects; a completely uploaded snapshot is imported all the same. */
  signal: AbortSignal
}

export interface SnapshotReceipt {
  ok: true
  imported: number
  skipped: number
}

const firstWaitMs = 10
const longestWaitMs = 250

/** Artifacts read together; their texts, possibly megabytes, are read one by one. */
const batchSize = 100
/** Characters serialised as JSON at once. */
const sliceLength = 256 * 1024

/**
 * Replaces the artifacts of a source with those of a snapshot (sources.md#snapshots): the body is first
 * stored and checked, then imported by one pass. A kill leaves either the old artifacts or the new ones.
 * @throws AppError `invalid_json`, `validation_failed`, `payload_too_large`, `not_found`, `conflict`
 */
export async function importSnapshot(
  deps: SourceDeps,
  caller: Caller,
  request: SnapshotRequest,
): Promise<SnapshotReceipt> {
  const { id, query } = request
  const row = await findSourceToChange(deps, caller, { id, named: query })
  // The daemon that reads the sources reads the stored body too.
  await assertNodeDuty(deps, 'sources', 'reading sources')
  const busy = busyIn(deps)
  if (busy.has(id) || (await pendingSnapshot(deps, id)))
    throw new AppError('conflict', `another snapshot of ${id} is being imported; try again later`)
  busy.add(id)
  try {
    const before = await deps.store.tables.sourceJobs.of(id)
    const counts = await importUpload(deps, row, request)
    // Importing a snapshot does not resume a paused source.
    if (before?.pause_reason === 'requested') await pauseSource(deps, caller, { id, named: query })
    return { ok: true, ...counts }
  } finally {
    busy.delete(id)
  }
}

/** Sources of a daemon with an upload in progress: a second upload would overwrite the file of the first. */
const busySources = createDaemonState<Set<string>>()

function busyIn(deps: Pick<SourceDeps, 'store'>): Set<string> {
  return busySources.ofOrMade(deps, () => new Set())
}

async function importUpload(
  deps: SourceDeps,
  { id, kind }: SourceRow,
  { query, body, signal }: SnapshotRequest,
): Promise<Pick<SnapshotReceipt, 'imported' | 'skipped'>> {
  const withLocal = query.includeLocalChatCache
  const file = snapshotFile(deps, id, withLocal)
  const counts = await storeUpload(deps, { file, body, kind, withLocal })
  try {
    const now = deps.clock().toISOString()
    await deps.store.transaction(({ sourceJobs }) => sourceJobs.request(id, { full: false, now }))
  } catch (error) {
    await rm(file, { force: true, maxRetries: 5 })
    throw error
  }
  const runs = runsOf(deps)
  // A running pass over a large source would delay the import too long.
  await runs.end(id, 'stopped')
  runs.look()
  await waitForImport(deps, id, signal)
  return counts
}

interface SnapshotUpload {
  file: string
  body: Readable
  kind: string
  withLocal: boolean
}

/** Stores the body and checks all of it; a file with its final name is complete and valid. */
async function storeUpload(
  { paths, newId }: Pick<SourceDeps, 'paths' | 'newId'>,
  { file, body, kind, withLocal }: SnapshotUpload,
): Promise<Pick<SnapshotReceipt, 'imported' | 'skipped'>> {
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
      // Duplicate paths are one artifact; the last one is stored.
      if (seen.has(artifact.sourcePath)) continue
      seen.add(artifact.sourcePath)
      counts[!withLocal && isLocalChat(artifact, kind) ? 'skipped' : 'imported']++
    }
    assertSameKind(reading.source().kind, kind)
    await renamePatiently(partial, file)
    return counts
  } catch (error) {
    await rm(partial, { force: true, maxRetries: 5 })
    throw error
  } finally {
    await handle.close()
  }
}

/**
 * Waits until the pass has imported the snapshot.
 * @throws AppError if the pass did not
 */
async function waitForImport(deps: SourceDeps, id: string, signal: AbortSignal): Promise<void> {
  const { sources, sourceJobs } = deps.store.tables
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    const [row, job, pending] = await Promise.all([
      sources.load(id),
      sourceJobs.of(id),
      pendingSnapshot(deps, id),
    ])
    if (!row || row.removed_at !== null) {
      if (pending) await dropSnapshot(pending)
      throw new AppError('conflict', `the source ${id} was removed while the snapshot was imported`)
    }
    if (!pending) return
    if (job?.status === 'failed') {
      await dropSnapshot(pending)
      throw new AppError(
        'conflict',
        `the snapshot was not imported: ${job.status_message ?? 'its job failed'}`,
      )
    }
    if (job?.status === 'paused')
      throw new AppError(
        'conflict',
        `the source ${id} was paused; the snapshot is imported when it is resumed`,
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
  return new AppError('payload_too_large', 'a snapshot may have at most 256 MiB')
}

/** Streams all artifacts of a source as one JSON document (sources.md#snapshots). */
export async function exportSnapshot(
  deps: SourceDeps,
  caller: Caller,
  { id, query }: { id: string; query: SnapshotQuery },
): Promise<Readable> {
  const row = await findSource(deps, caller, { id, named: query })
  const head = {
    version: 1,
    exportedAt: deps.clock().toISOString(),
    source: await sourceRecordOf(deps, row),
    agentId: row.agent_id,
  }
  return Readable.from(snapshotParts(deps, row, { head, withLocal: query.includeLocalChatCache }))
}

async function* snapshotParts(
  { store, budget }: Pick<SourceDeps, 'store' | 'budget'>,
  { id }: Pick<SourceRow, 'id'>,
  { head, withLocal }: { head: object; withLocal: boolean },
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"artifacts":[`
  const counts = { written: 0, skipped: 0 }
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch = await store.tables.sourceArtifacts.livingAfter(id, { after, limit: batchSize })
    for (const artifact of batch) {
      if (artifact.is_local_only === 1 && !withLocal) {
        counts.skipped++
        continue
      }
      const text = await store.tables.sourceArtifacts.textOf(artifact.id)
      // The artifact was removed in the meantime.
      if (text === undefined) continue
      yield counts.written++ === 0 ? '\n' : ',\n'
      yield* artifactJson(artifact, text)
      await budget.breathe()
    }
    after = batch.length === batchSize ? batch.at(-1)?.path : undefined
  }
  yield `\n],"skipped":{"localChatArtifacts":${counts.skipped}}}\n`
}

/** Writes long texts in slices, with turns for other work in between. */
async function* artifactJson(artifact: ArtifactRow, text: string): AsyncGenerator<string> {
  const { path, kind, source_id, title, names, url, author, source_updated_at, is_local_only } = artifact
  const fields = {
    sourcePath: path,
    sourceKind: kind,
    sourceId: source_id,
    title,
    names: JSON.parse(names) as string[],
    url,
    author,
    updatedAt: source_updated_at,
    ...(is_local_only === 1 && { localOnly: true }),
  }
  yield `${JSON.stringify(fields).slice(0, -1)},"content":"`
  for (let from = 0; from < text.length; from += sliceLength) {
    // A surrogate pair split by the cut becomes two escapes, which JSON parsers join again.
    yield JSON.stringify(text.slice(from, from + sliceLength)).slice(1, -1)
    if (from > 0) await nextTurn()
  }
  yield '"}'
}
