import { AppError } from '../../../../contract/ground/errors.js'
import type { UploadReply } from '../../../../contract/knowledge/import-files.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { findImportFile } from '../registry/registry.js'
import { assertStaging, refusal, type UploadDeps, withFileLock } from './append.js'
import { emptyChain, removeBytes } from './stored-bytes.js'
import { toUploadReply } from './upload.js'

/** Files per cleanup batch. */
const batch = 50

/**
 * Discards an incomplete upload by starting a new generation. Without an upload to discard nothing changes,
 * so the call can be repeated.
 * @param generation the one to discard, if given
 * @throws AppError `conflict` for a sealed file, `stale_generation` for another generation than the newest
 */
export async function resetFile(
  deps: UploadDeps,
  job: ImportRow,
  { fileId, generation }: { fileId: string; generation: number | undefined },
): Promise<UploadReply> {
  const row = await withFileLock(deps, { job, fileId }, async () => {
    const known = await findImportFile(deps, job, fileId)
    if (known.sealed_at !== null)
      throw refusal(known, 'conflict', `the file ${quoted(fileId)} is sealed: it is whole and stays as it is`)
    if (known.upload_size === null) return known
    if (generation !== undefined && generation !== known.upload_generation)
      throw refusal(
        known,
        'stale_generation',
        `the upload is at generation ${known.upload_generation}, not ${generation}`,
      )
    return discard(deps, job, known)
  })
  await cleanUpUploads(deps)
  return toUploadReply(row)
}

async function discard(
  { store, clock }: UploadDeps,
  job: ImportRow,
  row: ImportFileRow,
): Promise<ImportFileRow> {
  await store.transaction(async ({ imports, importFiles }) => {
    assertStaging(await imports.find(job.id))
    await importFiles.reset(row, emptyChain, clock().toISOString())
  })
  return findImportFile({ store }, job, row.file_id)
}

/** Deletes the bytes of earlier generations and of abandoned uploads. */
export async function cleanUpUploads(deps: Pick<Daemon, 'store' | 'paths'>): Promise<void> {
  const { importFiles } = deps.store.tables
  for (;;) {
    const rows = await importFiles.toCleanUp(batch)
    if (rows.length === 0) return
    for (const row of rows) {
      await withFileLock(deps, { job: { id: row.job_id }, fileId: row.file_id }, async () => {
        await removeBytes(deps, row, (await currentGeneration(deps, row)) ?? undefined)
        await importFiles.update(row, { cleanup_pending: 0 })
      })
    }
  }
}

/** Returns the generation to keep; null if none. */
async function currentGeneration(
  { store }: Pick<Daemon, 'store'>,
  row: ImportFileRow,
): Promise<number | null> {
  const now = await store.tables.importFiles.find(row.job_id, row.file_id)
  return now?.upload_size == null ? null : now.upload_generation
}

/** @throws AppError `gone` if the import and its files were removed */
export function assertSealed(job: ImportRow, row: ImportFileRow): void {
  if (job.removed_at !== null)
    throw new AppError('gone', `the import ${job.id} was removed, and with it its files`)
  if (row.sealed_at === null)
    throw refusal(row, 'conflict', `the file ${quoted(row.file_id)} is not sealed: finalize it first`)
}
