import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { maxLineBytes, readLines } from '../../lib/files/lines.js'

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
    await rm(file, { force: true })
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
    if (dropped > 0) await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
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
export async function cutBack(file: string, bytes: number): Promise<void> {
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
