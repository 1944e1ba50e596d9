import { mkdir, statfs } from 'node:fs/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import { maxUploadBytes } from '../../../../contract/knowledge/import-files.js'
import type { ImportRoom } from '../../../../contract/knowledge/imports.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

const mib = 1024 * 1024

/** Disk space for an import besides its files, which are processed one at a time: chunks, index, logs. */
const spareBytes = 64 * mib
/** Copies of a file that an import may need space for: its bytes, its messages, their log. */
const copies = 3
/** Disk space that uploads leave free for other uses. */
const keptFreeBytes = 1024 * mib

/** Space already reserved for an import. */
export interface ImportReservation {
  /** Total size of its files. */
  size: number
  reserved: number
}

/**
 * Returns the bytes to reserve for a file: all files of an import together get three times their size, plus
 * 64 MiB.
 */
export function reservationFor(size: number, held: ImportReservation = { size: 0, reserved: 0 }): number {
  return Math.max(0, copies * (held.size + size) + spareBytes - held.reserved)
}

interface DiskRoom {
  /** Bytes that the file needs. */
  needed: number
  /** Free bytes on the disk. */
  free: number
  /** Bytes that all imports have reserved and not used yet. */
  reserved: number
}

/** True if the file fits next to existing reservations. */
export function hasRoom({ needed, free, reserved }: DiskRoom): boolean {
  return free - reserved - keptFreeBytes >= needed
}

/** @throws AppError `payload_too_large` for a file above the limit */
export function assertFileSize(size: number): void {
  if (size > maxUploadBytes)
    throw new AppError(
      'payload_too_large',
      `a file of an import has at most ${maxUploadBytes} bytes, this one ${size}: split it`,
    )
}

/** Returns the free bytes on the disk of the imports folder. */
export async function freeBytes({ paths }: Pick<Daemon, 'paths'>): Promise<number> {
  await mkdir(paths.imports, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(paths.imports)
  return bavail * bsize
}

/**
 * Describes the disk space available for uploads.
 * @param reserved bytes that imports have reserved and not used yet
 */
export async function roomFor({ paths }: Pick<Daemon, 'paths'>, reserved: number): Promise<ImportRoom> {
  // The folder is created with the first file.
  const { bavail, bsize } = await statfs(paths.imports).catch(() => statfs(paths.daemonDir))
  const free = bavail * bsize
  const file = Math.floor((free - reserved - keptFreeBytes - spareBytes) / copies)
  return { free, reserved, kept: keptFreeBytes, file: Math.min(maxUploadBytes, Math.max(0, file)) }
}

/** Makes the error for a file that does not fit. */
export function insufficientStorage(size: number, { needed, free, reserved }: DiskRoom): AppError {
  return new AppError(
    'insufficient_storage',
    `a file of ${size} bytes needs ${needed + keptFreeBytes} free bytes on the disk of the workspace, ` +
      `${Math.max(0, free - reserved)} are available: free some space, or import it in parts`,
  )
}
