import { dirname } from 'node:path'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { forkHidden } from '../../../lib/threads/own-child.js'
import { forkFrom } from '../../../lib/threads/thread-url.js'
import type { WriteGate } from '../commits/write-gate.js'

const module = {
  from: import.meta.url,
  source: './conversion-process.ts',
  bundle: './conversion-process.js',
}

export type ConversionMessage = { step: 'converted' | 'copied' } | { failed: string }

/** A running conversion of a file, in a process that can be killed at any time. */
export interface Conversion {
  /** Resolves when the file is converted and writable again. @throws Error when it failed or was killed. */
  converted: Promise<void>
  /** Resolves when the process has ended. */
  gone: Promise<void>
  /** Kills it; the file is unchanged unless it was already converted. */
  kill(): void
}

/** Starts rewriting a database into a form that can shrink. */
export function startConversion(file: string): Conversion {
  const { file: entry, execArgv } = forkFrom(module)
  const child = forkHidden(entry, [file], {
    execArgv,
    // SQLite writes the new file next to the old one, where there is space, before copying it.
    env: { SQLITE_TMPDIR: dirname(file) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const converted = deferred<void>()
  const gone = deferred<void>()
  converted.promise.catch(() => undefined)
  child.on('message', (message: ConversionMessage) => {
    if ('failed' in message) converted.reject(new Error(message.failed))
    else if (message.step === 'converted') converted.resolve()
  })
  const lose = (why: string): void => {
    converted.reject(new Error(why))
    gone.resolve()
  }
  child.on('exit', (code, signal) => lose(`it ended early (${signal ?? code})`))
  child.on('error', error => lose(error.message))
  return { converted: converted.promise, gone: gone.promise, kill: () => void child.kill('SIGKILL') }
}

export interface ConvertOptions {
  file: string
  gate: Pick<WriteGate, 'close' | 'open'>
  /** Runs `work` while no transaction is open. */
  between<T>(work: () => T): Promise<T>
  signal: AbortSignal
  start?: (file: string) => Conversion
}

/**
 * Converts a file that this process has open. The first write or the signal cancels it.
 * @returns whether it was done. @throws Error when it failed.
 */
export async function convertFile({
  file,
  gate,
  between,
  signal,
  start = startConversion,
}: ConvertOptions): Promise<'converted' | 'gave_way'> {
  const state = { gaveWay: false, conversion: undefined as Conversion | undefined }
  const giveWay = (): void => {
    state.gaveWay = true
    state.conversion?.kill()
  }
  const conversion = await between(() => {
    state.conversion = start(file)
    gate.close(giveWay)
    return state.conversion
  })
  signal.addEventListener('abort', giveWay, { once: true })
  if (signal.aborted) giveWay()
  try {
    await conversion.converted
    // The log is copied while writes continue.
    gate.open()
    await conversion.gone
    return 'converted'
  } catch (error) {
    await conversion.gone
    if (state.gaveWay) return 'gave_way'
    throw error
  } finally {
    gate.open()
    signal.removeEventListener('abort', giveWay)
  }
}
