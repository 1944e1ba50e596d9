import { mkdir, statfs } from 'node:fs/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import { maxUploadBytes } from '../../../../contract/knowledge/import-files.js'
import type { ImportRoom } from '../../../../contract/knowledge/imports.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

const mib = 1024 * 1024

/** What an import may need of the disk beside its files, of which one is worked on at a time: chunks, index, logs. */
const spareBytes = 64 * mib
/** Copies of a file that an import may need room for: its bytes, its messages, their log. */
const copies = 3
/** What uploads leave free for everybody else. */
const keptFreeBytes = 1024 * mib

/** What an import has set aside already. */
export interface Held {
  /** Length of its files. */
  size: number
  reserved: number
}

/** Bytes that are set aside for a file of a size: all files of an import have three times their length, and 64 MiB once. */
export function reservationFor(size: number, held: Held = { size: 0, reserved: 0 }): number {
  return Math.max(0, copies * (held.size + size) + spareBytes - held.reserved)
}

interface Room {
  /** Bytes that the file needs. */
  needed: number
  /** Bytes that are free on the disk. */
  free: number
  /** Bytes that all imports set aside and have not used yet. */
  reserved: number
}

/** Whether a file fits with what is free and what others set aside. */
export function fits({ needed, free, reserved }: Room): boolean {
  return free - reserved - keptFreeBytes >= needed
}

/** @throws AppError `payload_too_large` for a file that no import takes. */
export function assertTakenSize(size: number): void {
  if (size > maxUploadBytes)
    throw new AppError(
      'payload_too_large',
      `a file of an import has at most ${maxUploadBytes} bytes, this one ${size}: split it`,
    )
}

/** Bytes that are free where imports are kept. */
export async function freeBytes({ paths }: Pick<Daemon, 'paths'>): Promise<number> {
  await mkdir(paths.imports, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(paths.imports)
  return bavail * bsize
}

/** What uploads find on the disk. @param reserved bytes that imports set aside and have not used yet. */
export async function roomFor({ paths }: Pick<Daemon, 'paths'>, reserved: number): Promise<ImportRoom> {
  // The folder is made with the first file.
  const { bavail, bsize } = await statfs(paths.imports).catch(() => statfs(paths.daemonDir))
  const free = bavail * bsize
  const file = Math.floor((free - reserved - keptFreeBytes - spareBytes) / copies)
  return { free, reserved, kept: keptFreeBytes, file: Math.min(maxUploadBytes, Math.max(0, file)) }
}

/** What there is to say when a file does not fit. */
export function noRoom(size: number, { needed, free, reserved }: Room): AppError {
  return new AppError(
    'insufficient_storage',
    `a file of ${size} bytes needs ${needed + keptFreeBytes} free bytes where the workspace is, ` +
      `${Math.max(0, free - reserved)} are not spoken for: make room, or import it in parts`,
  )
}
