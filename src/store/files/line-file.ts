import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { maxLineBytes, readLines } from '../../lib/files/lines.js'

const pieceLength = 256 * 1024

/**
 * Writes a new file of lines for its owner alone; it is on the disk when this resolves.
 * @throws when the file is there already, and what `lines` throws; nothing stays behind then.
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

/** Adds lines to the end of a file, which is made for its owner alone; they are on the disk when this resolves. */
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
 * Writes a file of lines again without some of them, whole or not at all; a file that loses none is left alone. Nobody
 * else may write it meanwhile.
 * @returns how many lines went.
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

/** Bytes of a file; 0 when there is none. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined)
  return found?.size ?? 0
}

/** Takes back what was written behind a place. */
export async function cutBack(file: string, bytes: number): Promise<void> {
  if ((await sizeOf(file)) > bytes) await truncate(file, bytes)
}

async function write(handle: FileHandle, lines: AsyncIterable<string> | Iterable<string>): Promise<void> {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    if (piece.length < pieceLength) continue
    await handle.appendFile(piece)
    piece = ''
  }
  if (piece !== '') await handle.appendFile(piece)
}

/** A new name is on the disk only once its folder is; some systems can't tell. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
