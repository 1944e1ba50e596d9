import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { ImportControlReply } from '../../../contract/knowledge/imports.js'
import type { ImportRow } from '../../../store/tables/knowledge/imports.js'
import type { Tables } from '../../../store/tables/tables.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { importJob } from './import-worker.js'
import { toImport } from './read-imports.js'
import { locksOf } from './registry/registry.js'
import { cleanUpUploads } from './uploads/reset.js'
import { emptyChain } from './uploads/stored-bytes.js'
import { assertHere } from './uploads/uploads-here.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'newId' | 'wake' | 'log'>

/**
 * Queues an import.
 * @throws AppError `conflict` without files, while a file is not sealed, or where another daemon has them
 */
export function startImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return queueFrom(deps, job, ['staging'], async ({ importFiles }) => {
    const files = await importFiles.of(job.id)
    const open = files.find(({ sealed_at }) => sealed_at === null)
    if (files.length === 0)
      throw new AppError('conflict', `the import ${job.id} has no files yet: upload and finalize one first`)
    if (open)
      throw new AppError(
        'conflict',
        `the file ${JSON.stringify(open.file_id)} of the import is not sealed: upload all of it and finalize it first`,
      )
  })
}

/** Queues a paused import again. */
export function resumeImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return queueFrom(deps, job, ['paused'])
}

/** Queues an interrupted or failed import again; records already imported stay. */
export function retryImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return queueFrom(deps, job, ['interrupted', 'failed'])
}

async function queueFrom(
  deps: Deps,
  job: ImportRow,
  from: readonly string[],
  check: (tables: Tables) => Promise<void> = async () => undefined,
): Promise<ImportControlReply> {
  await assertHere(deps, job)
  const now = deps.clock().toISOString()
  const changed = await deps.store.transaction(async tables => {
    const row = await tables.imports.find(job.id)
    if (!row || !from.includes(row.state) || row.removed_at !== null) return false
    await check(tables)
    await tables.imports.move(job.id, from, {
      state: 'queued',
      attempts: 0,
      error: null,
      completed_at: null,
      updated_at: now,
    })
    await tables.jobs.completeFor(importJob.kind, job.id, now)
    await tables.jobs.enqueue(newJob(deps, importJob, job.id), now)
    return true
  })
  if (changed) deps.wake(importJob)
  return changedImport(deps, job.id, changed)
}

/** Stops an import at its next read or commit; committed records stay. */
export function pauseImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  return stop(deps, job, (tables, now) =>
    tables.imports.move(job.id, ['queued', 'active', 'interrupted'], { state: 'paused', updated_at: now }),
  )
}

/** Cancels an import: committed records stay, incomplete uploads are deleted. */
export async function cancelImport(deps: Deps, job: ImportRow): Promise<ImportControlReply> {
  const from = ['staging', 'queued', 'active', 'paused', 'interrupted']
  const reply = await stop(deps, job, async (tables, now) => {
    const fields = { state: 'cancelled', updated_at: now, completed_at: now }
    if (!(await tables.imports.move(job.id, from, fields))) return false
    await tables.importFiles.giveUp(job.id, emptyChain, now)
    await tables.importFiles.release(job.id)
    return true
  })
  if (reply.changed) await cleanUpUploads(deps)
  return reply
}

async function stop(
  deps: Deps,
  job: ImportRow,
  move: (tables: Tables, now: string) => Promise<boolean>,
): Promise<ImportControlReply> {
  const now = deps.clock().toISOString()
  const changed = await deps.store.transaction(async tables => {
    const moved = await move(tables, now)
    if (moved) await tables.jobs.completeFor(importJob.kind, job.id, now)
    return moved
  })
  if (changed) locksOf(deps).running.get(job.id)?.abort()
  return changedImport(deps, job.id, changed)
}

async function changedImport(
  { store }: Pick<Daemon, 'store'>,
  id: string,
  changed: boolean,
): Promise<ImportControlReply> {
  const row = await store.tables.imports.find(id)
  if (!row) throw notFound(`import ${id} not found`, 'see memory imports list')
  return { ...toImport(row), changed }
}
