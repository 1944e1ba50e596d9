import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { within } from '../concurrency/stop-waiting.js'

/**
 * Opens files in folders that others fill, such as a cloned repository. These may contain pipes, devices,
 * links to them and endless files, so each file is opened without waiting, must be a regular file, and is
 * read up to a limit and a deadline (security.md#foreign-folders).
 */
export interface ForeignOpening {
  /** The caller waits at most this long; 5 seconds by default. */
  timeoutMs?: number
  /** Opens the file that a link leads to. Without it, links are refused. */
  followLinks?: boolean
}

export interface ForeignReading extends ForeignOpening {
  /** Larger files are refused. */
  maxBytes: number
}

type OpenFault = 'ELOOP' | 'EISDIR' | 'ENOTREG' | 'EFBIG' | 'ETIMEDOUT'

const words: Readonly<Record<OpenFault, string>> = {
  ELOOP: 'it is a link',
  EISDIR: 'it is a folder',
  ENOTREG: 'it is not a regular file',
  EFBIG: 'it is too large',
  ETIMEDOUT: 'the disk does not answer',
}

/** A file that is refused. Faults of the system are thrown unchanged; their `code` is as unambiguous. */
export class ForeignFileFault extends Error {
  override name = 'ForeignFileFault'
  readonly code: OpenFault

  constructor(code: OpenFault, path: string) {
    super(`${path}: ${words[code]}`)
    this.code = code
  }
}

/** O_NOFOLLOW and O_NONBLOCK do not exist on Windows, where `lstat` finds links and files cannot be pipes. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const defaultTimeoutMs = 5000
const pieceBytes = 64 * 1024

/**
 * Returns a handle of a regular file, which the caller closes.
 * @throws ForeignFileFault, or the fault of the system.
 */
export function openForeign(path: string, opening: ForeignOpening = {}): Promise<FileHandle> {
  return beforeDeadline(path, opening, async isLate => {
    const { handle } = await openRegular(path, opening)
    if (isLate()) await handle.close()
    return handle
  })
}

/** @throws ForeignFileFault, or the fault of the system. */
export function readForeignBytes(path: string, reading: ForeignReading): Promise<Buffer> {
  return beforeDeadline(path, reading, async isLate => {
    const { handle, size } = await openRegular(path, reading)
    try {
      if (size > reading.maxBytes) throw new ForeignFileFault('EFBIG', path)
      return await readUpTo(handle, path, { size, maxBytes: reading.maxBytes, isLate })
    } finally {
      await handle.close()
    }
  })
}

/** Returns the text of a small file; undefined if it is missing, refused, too large or unreadable. */
export async function readForeignText(path: string, reading: ForeignReading): Promise<string | undefined> {
  try {
    return (await readForeignBytes(path, reading)).toString('utf8')
  } catch {
    return undefined
  }
}

/**
 * Returns the descriptor of a regular file, for threads that read synchronously. It has no deadline.
 * @throws ForeignFileFault, or the fault of the system.
 */
export function openForeignSync(path: string): number {
  assertRegular(lstatSync(path), path)
  const descriptor = openSync(path, flags)
  try {
    assertRegular(fstatSync(descriptor), path)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/**
 * Reads a small file, for threads that read synchronously. It has no deadline.
 * @throws ForeignFileFault, or the fault of the system.
 */
export function readForeignSync(path: string, { maxBytes }: Pick<ForeignReading, 'maxBytes'>): Buffer {
  const descriptor = openForeignSync(path)
  try {
    const { size } = fstatSync(descriptor)
    if (size > maxBytes) throw new ForeignFileFault('EFBIG', path)
    const bytes = Buffer.allocUnsafe(size)
    return bytes.subarray(0, readSync(descriptor, bytes))
  } finally {
    closeSync(descriptor)
  }
}

async function openRegular(
  path: string,
  { followLinks = false }: ForeignOpening,
): Promise<{ handle: FileHandle; size: number }> {
  const file = followLinks ? await realpath(path) : path
  // Opening a device can already have effects, so it is only opened if it looks like a regular file.
  assertRegular(await lstat(file), path)
  const handle = await open(file, flags)
  try {
    const stats = await handle.stat()
    assertRegular(stats, path)
    return { handle, size: stats.size }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return
  const why = stats.isSymbolicLink() ? 'ELOOP' : stats.isDirectory() ? 'EISDIR' : 'ENOTREG'
  throw new ForeignFileFault(why, path)
}

/** Reads to the end, because the size of files such as those in `/proc` is 0. */
async function readUpTo(
  handle: FileHandle,
  path: string,
  { size, maxBytes, isLate }: { size: number; maxBytes: number; isLate: () => boolean },
): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let length = 0; !isLate(); ) {
    const piece = Buffer.allocUnsafe(length === 0 ? size + 1 : pieceBytes)
    const { bytesRead } = await handle.read(piece, 0, piece.length, length)
    if (bytesRead === 0) break
    pieces.push(piece.subarray(0, bytesRead))
    length += bytesRead
    if (length > maxBytes) throw new ForeignFileFault('EFBIG', path)
    // The first piece has room for one byte more than the size.
    if (size > 0 && length === size) break
  }
  return Buffer.concat(pieces)
}

/**
 * A read that never returns occupies one of the four threads that Node has for files. With two of them
 * occupied, further foreign files are refused, so that the daemon's own files can still be read.
 */
const maxOverdue = 2
let overdue = 0

async function beforeDeadline<Result>(
  path: string,
  { timeoutMs = defaultTimeoutMs }: ForeignOpening,
  work: (isLate: () => boolean) => Promise<Result>,
): Promise<Result> {
  const late = new ForeignFileFault('ETIMEDOUT', path)
  if (overdue >= maxOverdue) throw late
  let isLate = false
  const working = work(() => isLate)
  return within(working, timeoutMs, () => {
    isLate = true
    overdue++
    const settle = (): void => {
      overdue--
    }
    working.then(settle, settle)
    return late
  })
}
