import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { maxLineBytes, readLines } from '../../lib/files/lines.js'
import { renamePatiently } from '../../lib/files/patient-rename.js'

const bufferLength = 256 * 1024

/**
 * Creates a file of lines that only its owner can read; it is on disk when this resolves.
 * @throws when the file exists, and whatever `lines` throws; no partial file is left.
 */
export async function createLines(
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'wx', 0o600)
  try {
    await write(handle, lines)
    await handle.sync()
    await handle.close()
    await syncFolder(dirname(file))
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(file, { force: true, maxRetries: 5 })
    throw error
  }
}

/** Appends lines to a file, which is created if needed; they are on disk when this resolves. */
export async function appendLines(
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'a', 0o600)
  try {
    await write(handle, lines)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Atomically rewrites a file without some of its lines; without such lines it is unchanged. No other writer
 * may be active.
 * @returns the number of lines removed.
 */
export async function dropLines(
  file: string,
  isDropped: (line: string) => boolean,
  breathe: () => Promise<void> | undefined,
): Promise<number> {
  if ((await sizeOf(file)) === 0) return 0
  let dropped = 0
  async function* kept(): AsyncGenerator<string> {
    for await (const { text } of readLines(createReadStream(file), maxLineBytes)) {
      if (isDropped(text)) dropped++
      else yield text
      await breathe()
    }
  }
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await createLines(temporary, kept())
    if (dropped > 0) await renamePatiently(temporary, file)
  } finally {
    await rm(temporary, { force: true, maxRetries: 5 })
  }
  await syncFolder(dirname(file))
  return dropped
}

/** Returns the size of a file in bytes; 0 when there is none. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  return found?.size ?? 0
}

/** Truncates a file to `bytes`. */
export async function truncateFile(file: string, bytes: number): Promise<void> {
  if ((await sizeOf(file)) > bytes) await truncate(file, bytes)
}

async function write(handle: FileHandle, lines: AsyncIterable<string> | Iterable<string>): Promise<void> {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    if (piece.length < bufferLength) continue
    await handle.appendFile(piece)
    piece = ''
  }
  if (piece !== '') await handle.appendFile(piece)
}

/** A new name is on disk only once its folder is synced; some systems do not support that. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

const blockBytes = 64 * 1024
const lineFeed = 10

export interface ReadLimits {
  /** Maximum number of bytes read from the end. */
  maxBytes: number
  /** Longer lines are skipped. */
  maxLineBytes: number
}

/**
 * Yields the lines of a file, last first, reading blocks from its end, so that the cost does not depend on
 * its size. An unfinished last line is included.
 * @returns nothing for a missing file. @throws node's error for an unreadable one.
 */
export async function* linesFromEnd(
  file: string,
  { maxBytes, maxLineBytes }: ReadLimits,
): AsyncGenerator<string, void> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return
  try {
    const { size } = await handle.stat()
    yield* linesBefore(handle, size, Math.max(0, size - maxBytes), maxLineBytes)
  } finally {
    await handle.close()
  }
}

async function* linesBefore(
  handle: FileHandle,
  size: number,
  first: number,
  maxLineBytes: number,
): AsyncGenerator<string, void> {
  /** Parts of the line whose beginning is not read yet, in file order. */
  let rest: Buffer[] = []
  let restBytes = 0
  for (let end = size; end > first; ) {
    const start = Math.max(first, end - blockBytes)
    const piece = await readBlock(handle, start, end - start)
    let until = piece.length
    for (
      let at = piece.lastIndexOf(lineFeed);
      at >= 0;
      at = at === 0 ? -1 : piece.lastIndexOf(lineFeed, at - 1)
    ) {
      const line = [piece.subarray(at + 1, until), ...rest]
      if (until - at - 1 + restBytes <= maxLineBytes) yield* textOf(line)
      rest = []
      restBytes = 0
      until = at
    }
    restBytes += until
    // Keeps only the length of a line that is too long.
    rest = restBytes > maxLineBytes ? [] : [piece.subarray(0, until), ...rest]
    end = start
  }
  if (first === 0 && restBytes <= maxLineBytes) yield* textOf(rest)
}

function* textOf(pieces: readonly Buffer[]): Generator<string> {
  const text = Buffer.concat(pieces).toString('utf8')
  if (text !== '') yield text
}

/** Returns fewer bytes than `length` when the file was truncated in between. */
async function readBlock(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
