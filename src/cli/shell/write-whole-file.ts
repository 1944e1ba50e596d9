import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { renamePatiently } from '../../lib/files/patient-rename.js'
import { CliError } from './cli-error.js'
import { systemWords } from './failure.js'

/**
 * Writes a stream to a file readable for its owner alone; the file appears once it is complete.
 * @throws CliError `invalid_input` if the file cannot be written, and errors of the stream.
 */
export async function writeWholeFile(content: AsyncIterable<string | Buffer>, file: string): Promise<void> {
  const partial = `${file}.${process.pid}.part`
  try {
    await pipeline(Readable.from(content), createWriteStream(partial, { mode: 0o600 }))
    await renamePatiently(partial, file)
  } catch (cause) {
    await rm(partial, { force: true, maxRetries: 5 })
    const { syscall } = cause as NodeJS.ErrnoException
    if (syscall === undefined || syscall === 'read') throw cause
    throw cannotWrite(file, cause)
  }
}

/** Returns the error of a file that the user named and that cannot be written. */
export function cannotWrite(file: string, cause: unknown): CliError {
  const { code = '' } = cause as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC'
  return new CliError(`cannot write ${file}: ${systemWords[code] ?? code}`, {
    ...(isFull
      ? { code: 'insufficient_storage', exit: 'failure' }
      : { code: 'invalid_input', exit: 'usage' }),
    nextSteps: [isFull ? 'free some disk space, or name a file on another disk' : 'name another file'],
    cause,
  })
}

/** Writes a stream to stdout as it arrives; stops if the reader closes the pipe. */
export async function writeToStdout(content: AsyncIterable<string | Buffer>): Promise<void> {
  try {
    await pipeline(Readable.from(content), process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
