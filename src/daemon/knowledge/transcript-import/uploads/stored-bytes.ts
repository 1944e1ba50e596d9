import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { uploadChunkBytes } from '../../../../contract/knowledge/import-files.js'
import { syncFolder } from '../../../../store/files/line-file.js'
import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'paths'>
type FileName = Pick<ImportFileRow, 'job_id' | 'file_id'>

/** The checksum chain of an empty file. */
export const emptyChain = '0'.repeat(64)

/** Returns the folder of an import's files. */
export function importFolder({ paths }: Deps, jobId: string): string {
  return join(paths.imports, jobId)
}

/** Returns the path of a file's generation. Hashing the client's name keeps the path inside the folder. */
export function bytesFile(deps: Deps, row: FileName & Pick<ImportFileRow, 'upload_generation'>): string {
  return join(importFolder(deps, row.job_id), `${stem(row)}.${row.upload_generation}`)
}

function stem({ file_id }: FileName): string {
  return createHash('sha256').update(file_id).digest('hex').slice(0, 32)
}

/**
 * Writes bytes at an offset of a file readable by its owner only; they are on the disk when this resolves.
 */
export async function writeAt(path: string, bytes: Uint8Array, offset: number): Promise<void> {
  if (offset === 0) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done)
      done += bytesWritten
    }
    await file.datasync()
  } finally {
    await file.close()
  }
  if (offset === 0) await syncFolder(dirname(path))
}

/** True if a file contains these bytes at an offset. */
export async function fileContainsAt(path: string, bytes: Uint8Array, offset: number): Promise<boolean> {
  if (bytes.length === 0) return true
  const file = await open(path, 'r')
  try {
    const stored = Buffer.allocUnsafe(bytes.length)
    return (await readFully(file, stored, offset)) === bytes.length && stored.equals(bytes)
  } finally {
    await file.close()
  }
}

/**
 * Fills a buffer from an offset of a file.
 * @returns the number of bytes read
 */
export async function readFully(file: FileHandle, target: Buffer, offset: number): Promise<number> {
  let done = 0
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, target.length - done, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return done
}

/**
 * Deletes the bytes of a file.
 * @param keep a generation to keep
 */
export async function removeBytes(deps: Deps, row: FileName, keep?: number): Promise<void> {
  const folder = importFolder(deps, row.job_id)
  const own = `${stem(row)}.`
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(own) && name !== `${own}${keep}`)
      await rm(join(folder, name), { force: true, maxRetries: 5 })
}

/**
 * Extends a file's checksum chain: for each chunk of 64 KiB, the hex SHA-256 of the chain so far and the
 * chunk's SHA-256. The sizes of requests make no difference.
 * @param chain of the preceding whole chunks
 * @param bytes whole chunks too, except at the end of a file
 */
export function extendChain(chain: string, bytes: Uint8Array): string {
  let digest = chain
  for (let at = 0; at < bytes.length; at += uploadChunkBytes) {
    const chunk = createHash('sha256')
      .update(bytes.subarray(at, at + uploadChunkBytes))
      .digest()
    digest = createHash('sha256').update(Buffer.from(digest, 'hex')).update(chunk).digest('hex')
  }
  return digest
}
