import { AppError, type ErrorCode } from '../../../../contract/ground/errors.js'
import { maxPatchBytes, uploadChunkBytes } from '../../../../contract/knowledge/import-files.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type ImportLocks, locksOf } from '../registry/registry.js'
import { assertFileSize, freeBytes, hasRoom, insufficientStorage, reservationFor } from './admission.js'
import { bytesFile, emptyChain, extendChain, fileContainsAt, writeAt } from './stored-bytes.js'
import { assertHere } from './uploads-here.js'

export type UploadDeps = Pick<
  Daemon,
  'store' | 'paths' | 'clock' | 'log' | 'newId' | 'budget' | 'configuration' | 'environment'
>

/** Files per import. */
const maxFiles = 10_000

/** The destination of an upload, and whether it comes from another machine. */
export interface UploadDestination {
  job: Pick<ImportRow, 'id'>
  fileId: string
  isElsewhere: boolean
}

/** A file of an import with its declared size. */
export interface UploadTarget extends UploadDestination {
  /** Size of the whole file as declared by the client. */
  size: number
  /** Working folder of its conversation, if the client knows it. */
  folder: string | undefined
}

/** Bytes at an offset; at most 1 MiB. */
export interface UploadBlock {
  offset: number
  bytes: Uint8Array
  /** Undefined for the newest generation. */
  generation: number | undefined
}

/**
 * Declares a file and reserves disk space for it; a file already declared stays as it is.
 * @throws AppError `insufficient_storage`, `payload_too_large`, `upload_conflict` for another length than
 * before, `conflict` for an import that does not accept files any more, or whose files another daemon has
 */
export function declareFile(deps: UploadDeps, target: UploadTarget): Promise<ImportFileRow> {
  const { job, fileId, size } = target
  assertFileSize(size)
  return withFileLock(deps, target, async () => {
    await assertHere(deps, job)
    const known = await deps.store.tables.importFiles.find(job.id, fileId)
    if (known?.upload_size == null) return admit(deps, locksOf(deps), target)
    if (known.upload_size !== size)
      throw refusal(
        known,
        'upload_conflict',
        `the file ${quoted(fileId)} was declared with ${known.upload_size} bytes, not ${size}: reset it to start over`,
      )
    return known
  })
}

/** Serialised, so that every earlier reservation is stored before the free space is measured. */
function admit(
  { store, paths, clock }: UploadDeps,
  { admission }: ImportLocks,
  { job, fileId, size, folder }: UploadTarget,
): Promise<ImportFileRow> {
  return admission(async () => {
    const free = await freeBytes({ paths })
    return store.transaction(async ({ imports, importFiles }) => {
      assertStaging(await imports.find(job.id))
      const needed = reservationFor(size, await importFiles.heldBy(job.id))
      const room = { needed, free, reserved: await importFiles.reserved() }
      if (!hasRoom(room)) throw insufficientStorage(size, room)
      const now = clock().toISOString()
      const name = { job_id: job.id, file_id: fileId }
      const known = await importFiles.find(job.id, fileId)
      if (!known && (await importFiles.countOf(job.id)) >= maxFiles)
        throw new AppError('conflict', `an import takes at most ${maxFiles} files: start another one`)
      await importFiles.add({ ...name, upload_digest: emptyChain, created_at: now, updated_at: now })
      await importFiles.update(name, {
        upload_size: size,
        folder: folder ?? null,
        reserved_bytes: needed,
        updated_at: now,
      })
      return (await importFiles.find(job.id, fileId)) as ImportFileRow
    })
  })
}

/**
 * Stores a block of a declared file: new bytes are on the disk before the database counts them; bytes stored
 * earlier must be equal.
 * @returns the file after the write
 * @throws AppError `stale_generation`, `upload_too_long`, `upload_conflict`, `validation_failed` for a block
 * that does not end at a multiple of 64 KiB, `conflict` for an import that does not accept bytes any more, or
 * whose files another daemon has
 */
export function appendBlock(
  deps: UploadDeps,
  target: UploadTarget,
  block: UploadBlock,
): Promise<ImportFileRow> {
  return withFileLock(deps, target, async () => {
    const row = await deps.store.tables.importFiles.find(target.job.id, target.fileId)
    if (!row)
      throw new AppError('not_found', `the import ${target.job.id} has no file ${quoted(target.fileId)}`)
    assertStaging(await deps.store.tables.imports.find(target.job.id))
    assertFits(row, target, block)
    await assertHere(deps, target.job)
    const { offset, bytes } = block
    const known = Math.max(0, Math.min(row.upload_offset - offset, bytes.length))
    const path = bytesFile(deps, row)
    if (!(await fileContainsAt(path, bytes.subarray(0, known), offset)))
      throw refusal(row, 'upload_conflict', `the stored bytes of the file differ from offset ${offset} on`)
    if (known === bytes.length) return row
    await writeAt(path, bytes.subarray(known), row.upload_offset)
    return acknowledge(deps, row, { bytes: bytes.subarray(known), isElsewhere: target.isElsewhere })
  })
}

/** Counts the stored bytes; a first block from another machine marks the whole import. */
async function acknowledge(
  { store, clock }: UploadDeps,
  row: ImportFileRow,
  { bytes, isElsewhere }: { bytes: Uint8Array; isElsewhere: boolean },
): Promise<ImportFileRow> {
  const fields = {
    upload_offset: row.upload_offset + bytes.length,
    upload_digest: extendChain(row.upload_digest, bytes),
    updated_at: clock().toISOString(),
  }
  await store.transaction(async ({ imports, importFiles }) => {
    if (!(await importFiles.advance(row, fields)))
      throw new AppError(
        'conflict',
        `the upload of the file ${quoted(row.file_id)} was cancelled in the meantime`,
      )
    if (isElsewhere) await imports.noteElsewhere(row.job_id)
  })
  return { ...row, ...fields }
}

function assertFits(row: ImportFileRow, { size }: UploadTarget, block: UploadBlock): void {
  const { offset, bytes, generation = row.upload_generation } = block
  const end = offset + bytes.length
  if (generation !== row.upload_generation)
    throw refusal(
      row,
      'stale_generation',
      `the upload is at generation ${row.upload_generation}, this part is of generation ${generation}`,
    )
  if (row.upload_size !== size)
    throw refusal(row, 'upload_conflict', `the file was declared with ${row.upload_size} bytes, not ${size}`)
  if (end > size)
    throw refusal(
      row,
      'upload_too_long',
      `this part ends at ${end}, the file was declared with ${size} bytes`,
    )
  if (end !== size && end % uploadChunkBytes !== 0)
    throw refusal(
      row,
      'validation_failed',
      `a part that is not the last ends at a multiple of ${uploadChunkBytes}, this one at ${end}`,
    )
  if (offset > row.upload_offset)
    throw refusal(
      row,
      'upload_conflict',
      `this part begins at ${offset}, the upload is at ${row.upload_offset}`,
    )
}

/** @throws AppError `conflict` for an import that is past its staging */
export function assertStaging(job: ImportRow | undefined): asserts job is ImportRow {
  if (job?.state === 'staging') return
  throw new AppError('conflict', `the import is ${job?.state ?? 'gone'}: it accepts files only while staging`)
}

/** Makes an error with the upload's offset and generation in its headers. */
export function refusal(row: ImportFileRow, code: ErrorCode, message: string): AppError {
  return new AppError(code, message, undefined, {
    headers: {
      'upload-offset': String(row.upload_offset),
      'upload-generation': String(row.upload_generation),
    },
  })
}

/** Runs the work while holding the file's lock. */
export function withFileLock<T>(
  deps: Pick<Daemon, 'store'>,
  { job, fileId }: Pick<UploadDestination, 'job' | 'fileId'>,
  work: () => Promise<T>,
): Promise<T> {
  return locksOf(deps).file(`${job.id}/${fileId}`, work)
}

export const maxBlockBytes = maxPatchBytes
