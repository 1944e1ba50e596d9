import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../../contract/ground/errors.js'
import { maxImportBytes } from '../../../contract/operations/transfer.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * Takes a whole body to a file and hands that to `work`: storing takes longer than a request may take to arrive. The
 * file has no name any more while it is used, so that nothing stays behind, whatever happens.
 * @throws AppError `payload_too_large`, `validation_failed` for a body that broke off, and what `work` throws.
 */
export async function withSpooled<T>(
  { paths, newId }: Pick<Daemon, 'paths' | 'newId'>,
  body: Readable,
  work: (content: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const path = join(paths.daemonDir, `import-${newId()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    await write(file, body)
    return await work(file.createReadStream({ start: 0, autoClose: false }))
  } finally {
    await file.close()
  }
}

async function write(file: FileHandle, body: Readable): Promise<void> {
  let bytes = 0
  try {
    // Ending the loop early must not destroy the stream: the reply is sent on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxImportBytes) throw tooLarge()
      await file.write(chunk)
    }
  } catch (error) {
    body.resume()
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    throw new AppError('validation_failed', 'the body ended before it was complete', undefined, {
      cause: error,
    })
  }
}

function tooLarge(): AppError {
  return new AppError(
    'payload_too_large',
    `an import takes at most ${maxImportBytes} bytes at once: split the file between memories, each part with the header in front`,
  )
}
