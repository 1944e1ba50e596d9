import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { renamePatiently } from '../../lib/files/patient-rename.js'
import { CliError } from './cli-error.js'

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
    const { code, syscall } = cause as NodeJS.ErrnoException
    if (syscall === undefined || syscall === 'read') throw cause
    throw new CliError(`cannot write ${file}: ${code}`, { code: 'invalid_input', exit: 'usage', cause })
  }
}

/** Writes a stream to stdout as it arrives; stops if the reader closes the pipe. */
export async function writeToStdout(content: AsyncIterable<string | Buffer>): Promise<void> {
  try {
    await pipeline(Readable.from(content), process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
