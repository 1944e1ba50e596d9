import { AppError } from '../../../contract/ground/errors.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { unlessAborted } from '../../../lib/concurrency/stop-waiting.js'
import { type ChildEntry, reuseUntilIdle } from '../../../lib/threads/own-child.js'
import type { Reading } from './extraction.js'
import type { FencedSource } from './read-source.js'
import { defaultChild, startReadingChild } from './reading-child.js'

export interface ReadingQueueOptions {
  /** The child ends after so long without a file; default a minute. */
  idleMs?: number
  /** What the processor may do for a file; default 30 s. */
  processorMs?: number
  /** A file that hangs, or waits for the processor for so long, is given up; default 5 minutes. */
  clockMs?: number
  /** Files that may wait behind the one that is read; default 64. */
  maxWaiting?: number
  child?: ChildEntry
  /** Hears of each child that is started. */
  onStart?(pid: number | undefined): void
}

export interface ReadingQueue {
  /**
   * Reads a file in the child when those before it are done. A file that ends the child fails; the next one gets
   * another child.
   * @throws AppError `overloaded` when too many wait, or the queue was closed; the signal's reason.
   */
  read(
    source: Omit<FencedSource, 'bytes'>,
    bytes: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<Reading>
  /** Ends the child, and with it what it reads; what waits is rejected. */
  close(): Promise<void>
}

/** The files that wait for the one child process, which is started when it is needed and ended when it is not. */
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
        throw new AppError('overloaded', `${maxWaiting} documents wait to be read; try again in a minute`)
      life.waiting++
      try {
        // What waits for its turn need not wait for it to be given up.
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

const stopping = (): AppError => new AppError('overloaded', 'the daemon stops; try again once it runs')
