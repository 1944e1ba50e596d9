import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { UploadReply } from '../../../../contract/knowledge/import-files.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { ImportRow } from '../../../../store/tables/knowledge/imports.js'
import { noteLifecycle } from '../../../ground/recording/source-lifecycle.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { findImportFile, registerSource, sourceIdOf } from '../registry/registry.js'
import { assertStaging, maxBlockBytes, refusal, type UploadDeps, withFileLock } from './append.js'
import { assertSealed } from './reset.js'
import { bytesFile, emptyChain, extendChain, readFully } from './stored-bytes.js'
import { toUploadReply } from './upload.js'
import { assertHere } from './uploads-here.js'

/** Interval at which the progress of the verification is stored. */
const noteEveryBytes = 64 * maxBlockBytes

/**
 * Verifies a complete upload against its checksum chain and seals it; a sealed file stays as it is. A
 * repeated call continues an interrupted verification.
 * @throws AppError `conflict` for an incomplete upload or one that another daemon has, `upload_conflict` for
 * bytes that changed on the disk
 */
export function finalizeFile(
  deps: UploadDeps,
  job: ImportRow,
  fileId: string,
): Promise<UploadReply & { sourceId: string }> {
  return withFileLock(deps, { job, fileId }, async () => {
    const row = await findImportFile(deps, job, fileId)
    const sealed = row.sealed_at === null ? await seal(deps, job, row) : row
    return { ...toUploadReply(sealed), sourceId: sourceIdOf(job) }
  })
}

async function seal(deps: UploadDeps, job: ImportRow, row: ImportFileRow): Promise<ImportFileRow> {
  const { store, clock } = deps
  if (row.upload_size === null || row.upload_offset < row.upload_size)
    throw refusal(
      row,
      'conflict',
      `the file ${quoted(row.file_id)} has ${row.upload_offset} of ${row.upload_size ?? 'unknown'} bytes: upload the rest first`,
    )
  await assertHere(deps, job)
  await verify(deps, row)
  const sealed_at = clock().toISOString()
  const isFirst = await store.transaction(async tables => {
    const now = await tables.imports.find(job.id)
    assertStaging(now)
    await tables.importFiles.update(row, { sealed_at, updated_at: sealed_at })
    await registerSource(deps, tables, now)
    return now.source_id === null
  })
  if (isFirst) await noteLifecycle(deps, { kind: 'import', isTranscripts: true, phase: 'connection' })
  return { ...row, sealed_at }
}

/** @throws AppError `upload_conflict` */
async function verify(deps: UploadDeps, row: ImportFileRow): Promise<void> {
  const size = row.upload_size as number
  const digest = size === 0 ? emptyChain : await chainOnDisk(deps, row, size)
  if (digest === row.upload_digest) return
  await deps.store.tables.importFiles.update(row, { verified_bytes: 0, verified_digest: '' })
  throw refusal(
    row,
    'upload_conflict',
    `the stored bytes of the file ${quoted(row.file_id)} are no longer those that were uploaded: reset it and upload it again`,
  )
}

/** @returns undefined if the file is missing or has another length */
async function chainOnDisk(deps: UploadDeps, row: ImportFileRow, size: number): Promise<string | undefined> {
  const file = await open(bytesFile(deps, row), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  try {
    if ((await file.stat()).size !== size) return undefined
    const block = Buffer.allocUnsafe(Math.min(size, maxBlockBytes))
    let digest = row.verified_bytes > 0 ? row.verified_digest : emptyChain
    for (let at = row.verified_bytes; at < size; at += block.length) {
      const read = await readFully(file, block, at)
      digest = extendChain(digest, block.subarray(0, read))
      if ((at + block.length) % noteEveryBytes === 0 && at + block.length < size)
        await noteVerified(deps, row, at + block.length, digest)
      await deps.budget.breathe()
    }
    return digest
  } finally {
    await file.close()
  }
}

async function noteVerified(
  { store }: UploadDeps,
  row: ImportFileRow,
  verified_bytes: number,
  verified_digest: string,
): Promise<void> {
  await store.write({ until: 'executed' }, ({ importFiles }) =>
    importFiles.update(row, { verified_bytes, verified_digest }),
  )
}

/**
 * Streams the bytes of a sealed file as uploaded.
 * @throws AppError `conflict` if it is not sealed or another daemon has it, `gone` if it was removed
 */
export async function fileContent(
  deps: Pick<Daemon, 'store' | 'paths'>,
  job: ImportRow,
  fileId: string,
): Promise<Readable> {
  const row = await findImportFile(deps, job, fileId)
  assertSealed(job, row)
  if (row.upload_size === 0) return Readable.from([])
  await assertHere(deps, job)
  const file = await open(bytesFile(deps, row), 'r')
  return file.createReadStream()
}
