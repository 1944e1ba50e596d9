import type { ChildProcess } from 'node:child_process'
import { type ChildEntry, startOwnChild } from '../../../lib/threads/own-child.js'
import { forkFrom } from '../../../lib/threads/thread-url.js'
import type { ChildReply, ChildRequest, ReadingTask } from './child-messages.js'
import { type ExtractionFailure, extractionFailure, type ReadingResult } from './extraction.js'

const module = { from: import.meta.url, source: './child.ts', bundle: './extraction-child.js' }
/** A child this large exits after its file to free its memory. */
const retireAboveBytes = 384 * 1024 * 1024

export interface ReadingChild {
  pid: number | undefined
  /**
   * Sends a file and waits for its text. One file at a time.
   * @param clockMs kills a child that hangs. @param signal kills it at once and rejects with the signal's
   * reason.
   */
  read(source: ReadingTask, bytes: AsyncIterable<Uint8Array>, limits: ReadingLimits): Promise<ReadingResult>
  /** True if it can read another file. */
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

type CompletedReading = Pick<ChildReply & { type: 'done' }, 'reading' | 'rssBytes'>

async function readIn(
  child: ChildProcess,
  source: ReadingTask,
  bytes: AsyncIterable<Uint8Array>,
  { clockMs, signal }: ReadingLimits,
): Promise<CompletedReading> {
  signal?.throwIfAborted()
  let ended = false
  const { promise, settle, reject } = outcomeOf(child, source, () => timer.refresh())
  const timer = setTimeout(
    () => settle(extractionFailure('timed_out', `reading it took longer than ${inSeconds(clockMs)}`)),
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
  // The child's exit is reported elsewhere; errors reading the file go to the caller.
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
  promise: Promise<CompletedReading>
  /** Fails the file; the child is then killed as if it had grown too large. */
  settle(failure: ExtractionFailure): void
  reject(reason: unknown): void
}

/** @param onUp called when the child has started: startup does not count towards a file's time. */
function outcomeOf(child: ChildProcess, { processorMs }: ReadingTask, onUp: () => void): Outcome {
  let markdown = ''
  let stop = (): void => undefined
  const outcome = {} as Outcome
  outcome.promise = new Promise<CompletedReading>((resolve, reject) => {
    outcome.reject = reject
    outcome.settle = reading => resolve({ reading, rssBytes: Number.POSITIVE_INFINITY })
    const onMessage = (message: ChildReply): void => {
      if (message.type === 'up') onUp()
      else if (message.type === 'text') markdown += message.piece
      else if (message.type === 'over') outcome.settle(exceeded(message.of, processorMs))
      else resolve({ ...message, reading: withText(message.reading, markdown) })
    }
    const onExit = (code: number | null, by: string | null): void =>
      outcome.settle(
        extractionFailure('crashed', `it crashed the process that reads documents (${by ?? `code ${code}`})`),
      )
    const onError = (error: Error): void =>
      outcome.settle(
        extractionFailure('crashed', `the process that reads documents did not start: ${error.message}`),
      )
    child.on('message', onMessage).on('exit', onExit).on('error', onError)
    stop = () => child.off('message', onMessage).off('exit', onExit).off('error', onError)
  }).finally(() => stop())
  return outcome
}

function exceeded(of: 'memory' | 'processor', processorMs: number): ExtractionFailure {
  return of === 'memory'
    ? extractionFailure('too_much_memory', 'reading it takes more than 1 GiB of memory')
    : extractionFailure('timed_out', `reading it takes more than ${inSeconds(processorMs)} of CPU time`)
}

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

function withText(reading: ReadingResult, markdown: string): ReadingResult {
  return reading.status === 'extracted' ? { ...reading, markdown } : reading
}

/** Resolves once handed to the channel, so that only one piece is buffered. */
function send(child: ChildProcess, message: ChildRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    child.send(message, error => (error ? reject(error) : resolve()))
  })
}
