import { AppError } from '../../../../contract/ground/errors.js'
import { storageFault } from '../../../../lib/files/storage-fault.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import { noteLifecycle } from '../../../ground/recording/source-lifecycle.js'
import { assertNotFrozen } from '../../../ground/settings/pipeline-mode.js'
import { adapterOf } from '../adapters/adapters.js'
import type { Adapter } from '../forms/adapter.js'
import { type RecordSource, recordsOf } from '../forms/file-records.js'
import { locksOf } from '../registry/registry.js'
import { bytesFile } from '../uploads/stored-bytes.js'
import { commitBatch } from './commit-batch.js'
import { batchesOf } from './judge-batch.js'
import { isOutage, type Lease, LeaseLost, loadLeased, type WorkDeps } from './lease.js'
import { indexBodies, settleBodies } from './settle-bodies.js'

/** Interval at which the progress of counting is stored. */
const noteEveryBytes = 64 * 1024 * 1024

/** Counts the records of a file, continuing where an earlier count ended. */
async function countRecords(
  deps: WorkDeps,
  lease: Lease,
  adapter: Adapter,
  file: ImportFileRow,
): Promise<void> {
  if (file.counted_whole === 1) return
  const source = sourceOf(deps, adapter, file)
  const counted = { bytes: file.counted_bytes, number: file.counted_number, records: file.counted_records }
  let noted = counted.bytes
  for await (const { number, end } of recordsOf(source, counted)) {
    lease.signal.throwIfAborted()
    counted.bytes = end
    counted.number = number
    counted.records++
    if (end - noted < noteEveryBytes) continue
    await note(deps, lease, file, { ...counted, isWhole: false })
    noted = end
  }
  await note(deps, lease, file, { ...counted, isWhole: true })
}

function sourceOf(deps: WorkDeps, adapter: Adapter, file: ImportFileRow): RecordSource {
  return {
    adapter,
    name: file.file_id,
    path: bytesFile(deps, file),
    folder: file.folder,
    size: file.upload_size ?? 0,
    budget: deps.budget,
  }
}

interface RecordCount {
  bytes: number
  number: number
  records: number
  isWhole: boolean
}

/** After a kill, records since the last stored progress are counted again. */
async function note(
  { store, clock }: WorkDeps,
  lease: Lease,
  { job_id, file_id }: ImportFileRow,
  { bytes, number, records, isWhole }: RecordCount,
): Promise<void> {
  const updated_at = clock().toISOString()
  await store.write({ until: 'committed' }, async tables => {
    const job = await loadLeased(tables, lease)
    const before = await tables.importFiles.find(job_id, file_id)
    await tables.importFiles.update(
      { job_id, file_id },
      {
        counted_bytes: bytes,
        counted_number: number,
        counted_records: records,
        counted_whole: isWhole ? 1 : 0,
        updated_at,
      },
    )
    const total = job.total + records - (before?.counted_records ?? 0)
    await tables.imports.update(job.id, { total, attempts: 0, updated_at })
  })
}

/** Attempts without a committed batch or a progress in counting. */
const maxAttempts = 5

/**
 * Processes an import until all records are done, continuing where it stopped. An import that is paused or
 * ended in the meantime is left unchanged.
 * @throws the error that stopped it; the import is then interrupted and continues with the next attempt
 */
export async function runImport(deps: WorkDeps, id: string, signal: AbortSignal): Promise<void> {
  const begun = await begin(deps, id)
  if (!begun) return
  const own = new AbortController()
  const lease: Lease = {
    id,
    agentId: begun.agent_id,
    project: begun.project,
    isElsewhere: begun.elsewhere === 1,
    number: begun.lease,
    signal: AbortSignal.any([signal, own.signal]),
  }
  locksOf(deps).running.set(id, own)
  try {
    await processRecords(deps, lease, begun)
    await complete(deps, lease)
  } catch (error) {
    if (error instanceof LeaseLost || own.signal.aborted) return
    const isFinal = !signal.aborted && !isOutage(error) && begun.attempts >= maxAttempts
    await interrupt(deps, lease, { error, isFinal, isStop: signal.aborted })
    if (!isFinal) throw error
    deps.log.error({ err: error, import: id }, 'import of transcripts failed')
  } finally {
    locksOf(deps).running.delete(id)
  }
}

/** An active one was left by a daemon that was killed: the lease of its job has ended. */
const unfinished = ['queued', 'interrupted', 'active']

/** @returns the import under a new lease; undefined if there is nothing to do */
async function begin({ store, clock }: WorkDeps, id: string): Promise<ImportRow | undefined> {
  const now = clock().toISOString()
  return store.transaction(async ({ imports }) => {
    const row = await imports.find(id)
    if (!row) return undefined
    if (row.attempts >= maxAttempts) {
      await imports.move(id, unfinished, {
        state: 'failed',
        error: 'the daemon ended unexpectedly each time it was tried',
        completed_at: now,
        updated_at: now,
      })
      return undefined
    }
    const moved = await imports.move(id, unfinished, {
      state: 'active',
      attempts: row.attempts + 1,
      error: null,
      started_at: row.started_at ?? now,
      updated_at: now,
    })
    return moved ? imports.find(id) : undefined
  })
}

async function processRecords(deps: WorkDeps, lease: Lease, job: ImportRow): Promise<void> {
  const { importFiles } = deps.store.tables
  const adapter = adapterOf(job.adapter)
  await deps.capturing(() => settleBodies(deps, lease.id))
  const files = await importFiles.of(lease.id)
  for (const file of files) await countRecords(deps, lease, adapter, file)
  const search = { last: Promise.resolve() }
  try {
    for (const file of files) await processFile(deps, { lease, adapter, file }, search)
  } catch (error) {
    // Wait for the index before the next attempt, and report the first error.
    await search.last.catch(() => undefined)
    throw error
  }
  await search.last
}

/**
 * @param search the running index update: a batch is indexed while the next one is read, at most one at a
 * time
 */
async function processFile(
  deps: WorkDeps,
  { lease, adapter, file }: { lease: Lease; adapter: Adapter; file: ImportFileRow },
  search: { last: Promise<void> },
): Promise<void> {
  const source = sourceOf(deps, adapter, file)
  const place = { bytes: file.taken_bytes, number: file.taken_number }
  for await (const batch of batchesOf(recordsOf(source, place))) {
    assertNotFrozen(deps)
    lease.signal.throwIfAborted()
    // Transcripts have one writer: captures and batches wait for each other.
    const work = { lease, adapter, file, indexed: () => search.last }
    const shown = await deps.capturing(() => commitBatch(deps, work, batch))
    await search.last
    search.last = indexBodies(deps, shown)
    // The next wait for it reports its failure.
    search.last.catch(() => undefined)
  }
}

async function complete(deps: WorkDeps, lease: Lease): Promise<void> {
  const { store, clock, log } = deps
  const now = clock().toISOString()
  const job = await store.transaction(async tables => {
    const row = await loadLeased(tables, lease)
    await tables.imports.move(lease.id, ['active'], {
      state: 'completed',
      completed_at: now,
      updated_at: now,
    })
    await tables.importFiles.release(lease.id)
    return row
  })
  const { imported, duplicate, rejected } = job
  log.info({ import: lease.id, imported, duplicate, rejected }, 'transcripts imported')
  const told = { kind: 'import', isTranscripts: true, artifacts: imported }
  // The clock may have been set back in the meantime.
  const durationMs = Math.max(0, Date.parse(now) - Date.parse(job.started_at ?? now))
  await noteLifecycle(deps, { ...told, phase: 'indexing', outcome: 'complete', durationMs })
  await noteLifecycle(deps, { ...told, phase: 'readiness' })
}

interface Interruption {
  error: unknown
  /** True if there will be no automatic retry. */
  isFinal: boolean
  /** True if the daemon is stopping. */
  isStop: boolean
}

async function interrupt(
  { store, clock }: WorkDeps,
  lease: Lease,
  { error, isFinal, isStop }: Interruption,
): Promise<void> {
  const now = clock().toISOString()
  await store.transaction(async ({ imports, importFiles }) => {
    const row = await imports.find(lease.id)
    if (row?.lease !== lease.number) return
    await imports.move(lease.id, ['active'], {
      state: isFinal ? 'failed' : 'interrupted',
      error: isStop ? 'the daemon was stopped; it resumes at the next start' : reasonOf(error),
      // Failures outside of the import do not count as attempts.
      attempts: isStop || isOutage(error) ? row.attempts - 1 : row.attempts,
      completed_at: isFinal ? now : null,
      updated_at: now,
    })
    if (isFinal) await importFiles.release(lease.id)
  })
}

/** Describes a failure to callers without revealing paths or texts. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  const full = storageFault(error)
  if (full) return `${full}; it resumes automatically when there is space`
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'a file of the import is gone from the disk'
  return code ? `it failed with ${code}; see the log` : 'it failed; see the log'
}
