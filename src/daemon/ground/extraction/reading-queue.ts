import { AppError } from '../../../contract/ground/errors.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { unlessAborted } from '../../../lib/concurrency/stop-waiting.js'
import { type ChildEntry, reuseUntilIdle } from '../../../lib/threads/own-child.js'
import type { ReadingResult } from './extraction.js'
import type { FencedSource } from './read-source.js'
import { defaultChild, startReadingChild } from './reading-child.js'

export interface ReadingQueueOptions {
  /** The child exits after this time without a file; default one minute. */
  idleMs?: number
  /** CPU time limit for a file; default 30 s. */
  processorMs?: number
  /** Elapsed time after which a file fails, including waits for the CPU; default 5 minutes. */
  clockMs?: number
  /** Maximum number of files waiting; default 64. */
  maxWaiting?: number
  child?: ChildEntry
  /** Called for each child that is started. */
  onStart?(pid: number | undefined): void
}

export interface ReadingQueue {
  /**
   * Reads a file in the child after those queued before it. A file that kills the child fails; the next one
   * gets a new child.
   * @throws AppError `overloaded` when the queue is full or closed; the signal's reason when cancelled.
   */
  read(
    source: Omit<FencedSource, 'bytes'>,
    bytes: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<ReadingResult>
  /** Kills the child and its current file; queued files are rejected. */
  close(): Promise<void>
}

/** Queues files for the one child process, which is started on demand and ended when idle. */
export function createReadingQueue(options: ReadingQueueOptions): ReadingQueue {
  const { processorMs = 30_000, clockMs = 300_000, maxWaiting = 64 } = options
  const { child: entry = defaultChild(), idleMs = 60_000, onStart } = options
  const children = reuseUntilIdle(() => {
    const child = startReadingChild(entry)
    onStart?.(child.pid)
    return child
  }, idleMs)
  const inLine = oneAtATime()
  const life = { closed: false, waiting: 0 }
  const readNow: ReadingQueue['read'] = async (source, bytes, signal) => {
    if (life.closed) throw stopping()
    signal?.throwIfAborted()
    try {
      const reading = await children.take().read({ ...source, processorMs }, bytes, { clockMs, signal })
      if (life.closed) throw stopping()
      return reading
    } finally {
      children.release()
    }
  }
  return {
    read: async (source, bytes, signal) => {
      if (life.waiting > maxWaiting)
        throw new AppError('overloaded', `${maxWaiting} documents are already queued; try again in a minute`)
      life.waiting++
      try {
        // A cancelled file leaves the queue at once instead of waiting its turn.
        return await unlessAborted(
          inLine(() => readNow(source, bytes, signal)),
          signal,
        )
      } finally {
        life.waiting--
      }
    },
    close: async () => {
      life.closed = true
      children.end()
      await inLine(async () => undefined)
    },
  }
}

const stopping = (): AppError =>
  new AppError('overloaded', 'the daemon is stopping; try again when it is running')
