import type { ChildProcess } from 'node:child_process'
import { type ChildEntry, startOwnChild } from '../../../lib/threads/own-child.js'
import { forkFrom } from '../../../lib/threads/thread-url.js'
import type { FromChild, ToChild, ToRead } from './child-messages.js'
import { failed, type NotExtracted, type Reading } from './extraction.js'

const module = { from: import.meta.url, source: './child.ts', bundle: './extraction-child.js' }
/** A child that has grown so far gives its memory back by ending. */
const retireAboveBytes = 384 * 1024 * 1024

export interface ReadingChild {
  pid: number | undefined
  /**
   * Hands a file over and waits for its text. One at a time.
   * @param clockMs ends a child that hangs. @param signal ends it at once; the promise then rejects with its reason.
   */
  read(source: ToRead, bytes: AsyncIterable<Uint8Array>, limits: ReadingLimits): Promise<Reading>
  /** Whether it takes another file. */
  isUsable(): boolean
  kill(): void
}

interface ReadingLimits {
  clockMs: number
  signal?: AbortSignal | undefined
}

export const defaultChild = (): ChildEntry => forkFrom(module)

/** Starts the process that reads documents. */
export function startReadingChild(entry: ChildEntry): ReadingChild {
  const { process: child, kill, isUsable, whileHeld } = startOwnChild(entry, ['--max-old-space-size=512'])
  return {
    pid: child.pid,
    isUsable,
    kill,
    read: (source, bytes, limits) =>
      whileHeld(async () => {
        try {
          const { reading, rssBytes } = await readIn(child, source, bytes, limits)
          if (rssBytes > retireAboveBytes) kill()
          return reading
        } catch (error) {
          kill()
          throw error
        }
      }),
  }
}

type Done = Pick<FromChild & { type: 'done' }, 'reading' | 'rssBytes'>

async function readIn(
  child: ChildProcess,
  source: ToRead,
  bytes: AsyncIterable<Uint8Array>,
  { clockMs, signal }: ReadingLimits,
): Promise<Done> {
  signal?.throwIfAborted()
  let ended = false
  const { promise, settle, reject } = outcomeOf(child, source, () => timer.refresh())
  const timer = setTimeout(
    () => settle(failed('timed_out', `reading it was not over after ${inSeconds(clockMs)}`)),
    clockMs,
  )
  const abort = (): void => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const handOver = async (): Promise<void> => {
    for await (const piece of bytes) {
      if (ended) return
      await send(child, { type: 'bytes', piece })
    }
    if (!ended) await send(child, { type: 'read', ...source })
  }
  // A child that is gone says so by its exit; what cannot be read of the file is the caller's.
  handOver().catch(error => (child.connected ? reject(error) : undefined))
  try {
    return await promise
  } finally {
    ended = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

interface Outcome {
  promise: Promise<Done>
  /** Ends it with a failure; the child is ended after it, as if it had grown. */
  settle(failure: NotExtracted): void
  reject(reason: unknown): void
}

/** @param onUp hears when the child has started: that is no part of a file's time. */
function outcomeOf(child: ChildProcess, { processorMs }: ToRead, onUp: () => void): Outcome {
  let markdown = ''
  let stop = (): void => undefined
  const outcome = {} as Outcome
  outcome.promise = new Promise<Done>((resolve, reject) => {
    outcome.reject = reject
    outcome.settle = reading => resolve({ reading, rssBytes: Number.POSITIVE_INFINITY })
    const onMessage = (message: FromChild): void => {
      if (message.type === 'up') onUp()
      else if (message.type === 'text') markdown += message.piece
      else if (message.type === 'over') outcome.settle(exceeded(message.of, processorMs))
      else resolve({ ...message, reading: withText(message.reading, markdown) })
    }
    const onExit = (code: number | null, by: string | null): void =>
      outcome.settle(failed('crashed', `it ended the process that reads documents (${by ?? `code ${code}`})`))
    const onError = (error: Error): void =>
      outcome.settle(failed('crashed', `the process that reads documents did not start: ${error.message}`))
    child.on('message', onMessage).on('exit', onExit).on('error', onError)
    stop = () => child.off('message', onMessage).off('exit', onExit).off('error', onError)
  }).finally(() => stop())
  return outcome
}

function exceeded(of: 'memory' | 'processor', processorMs: number): NotExtracted {
  return of === 'memory'
    ? failed('too_much_memory', 'reading it takes more than 1 GiB of memory')
    : failed('timed_out', `reading it takes more than ${inSeconds(processorMs)} of the processor`)
}

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

function withText(reading: Reading, markdown: string): Reading {
  return reading.status === 'extracted' ? { ...reading, markdown } : reading
}

/** Resolves when it is on its way, so that no more than a piece waits in memory. */
function send(child: ChildProcess, message: ToChild): Promise<void> {
  return new Promise((resolve, reject) => {
    child.send(message, error => (error ? reject(error) : resolve()))
  })
}
