import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../../../contract/ground/errors.js'
import type { Daemon } from '../../daemon/daemon.js'

type Deps = Pick<Daemon, 'paths' | 'newId'>

export interface SpoolLimit {
  maxBytes: number
  /** The error for a longer body. */
  tooLarge(): AppError
}

/**
 * Opens a temporary file for incoming bytes. Its name is already removed, so the space is freed on close,
 * even after a crash.
 */
export async function openSpool({ paths, newId }: Deps): Promise<FileHandle> {
  await mkdir(paths.uploads, { recursive: true, mode: 0o700 })
  const path = join(paths.uploads, newId())
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path, { force: true, maxRetries: 5 })
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Writes a stream to the end of a file. After a failure the rest of the stream is read and dropped, because
 * the reply is sent on the same connection.
 * @returns number of bytes written
 * @throws the limit's error, `validation_failed` for an interrupted stream, node's error of a write
 */
export async function spool(
  file: FileHandle,
  body: Readable,
  { maxBytes, tooLarge }: SpoolLimit,
): Promise<number> {
  let bytes = 0
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      // `write` may store only a part on a full disk.
      await file.writeFile(chunk)
    }
    return bytes
  } catch (error) {
    body.resume()
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    throw interruptedBody(error)
  }
}

/** The error of a body that ended before it was complete. */
export function interruptedBody(cause: unknown): AppError {
  return new AppError('validation_failed', 'the body ended before it was complete', undefined, { cause })
}

/**
 * Stores a whole body in a file and passes it to `work`, which may take longer than a request may take to
 * arrive.
 * @throws as {@link spool}, and what `work` throws
 */
export async function withSpooled<T>(
  deps: Deps,
  body: Readable,
  limit: SpoolLimit,
  work: (content: AsyncIterable<Buffer>, bytes: number) => Promise<T>,
): Promise<T> {
  const file = await openSpool(deps)
  try {
    const bytes = await spool(file, body, limit)
    return await work(file.createReadStream({ start: 0, autoClose: false }), bytes)
  } finally {
    await file.close()
  }
}

/** Removes files of a daemon that was killed between creating a file and removing its name. */
export async function sweepSpool({ paths }: Pick<Daemon, 'paths'>): Promise<void> {
  const names = await readdir(paths.uploads).catch(() => [])
  await Promise.all(names.map(name => rm(join(paths.uploads, name), { force: true, maxRetries: 5 })))
}
