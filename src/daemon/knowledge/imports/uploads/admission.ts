import { mkdir, statfs } from 'node:fs/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import { maxUploadBytes } from '../../../../contract/knowledge/import-files.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

const mib = 1024 * 1024

/** What an import may need of the disk beside its file: messages, chunks and their log. */
const spareBytes = 64 * mib
/** Copies of a file that an import may need room for: its bytes, its messages, their log. */
const copies = 3
/** What uploads leave free for everybody else. */
const keptFreeBytes = 1024 * mib

/** Bytes that are set aside for a file of a size. */
export function reservationFor(size: number): number {
  return copies * size + spareBytes
}

/** Whether a file fits: with what is free, and what others set aside and have not used yet. */
export function fits({ size, free, reserved }: { size: number; free: number; reserved: number }): boolean {
  return free - reserved - keptFreeBytes >= reservationFor(size)
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

/** What there is to say when a file does not fit. */
export function noRoom({ size, free, reserved }: { size: number; free: number; reserved: number }): AppError {
  const needed = reservationFor(size) + keptFreeBytes
  return new AppError(
    'insufficient_storage',
    `a file of ${size} bytes needs ${needed} free bytes where the workspace is, ` +
      `${Math.max(0, free - reserved)} are not spoken for: make room, or import it in parts`,
  )
}
