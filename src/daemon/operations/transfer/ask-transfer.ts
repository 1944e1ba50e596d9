import { availableParallelism } from 'node:os'
import { Worker as Thread } from 'node:worker_threads'
import { AppError } from '../../../contract/ground/errors.js'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { createRestingThread, type RestingThread } from '../../platform/threads/resting-thread.js'

const threadModule = { from: import.meta.url, source: './transfer-thread.ts', bundle: './transfer-thread.js' }

/** What the thread answers: the lines of a block of a file, how many memories are selected, and a page of them. */
export type TransferQuestion = 'block' | 'count' | 'page'

/** Asks the thread while there is one, and does here what it leaves. @throws what either throws */
export type AskTransfer = <T>(
  question: TransferQuestion,
  given: readonly unknown[],
  here: () => Promise<T>,
) => Promise<T>

const kept = keptByDaemon<RestingThread | undefined>()

/**
 * Keeps the thread that reads large files for imports and large stores for exports, and ends it with the daemon. With a
 * single core there is none.
 */
export function createTransferThread(daemon: Daemon): Worker {
  const thread = createRestingThread({
    start: () => new Thread(threadUrl(threadModule), { workerData: daemon.paths.database }),
    of: 'imports and exports',
    log: daemon.log,
  })
  if (availableParallelism() > 1) kept.keep(daemon, thread)
  return { start: () => undefined, close: thread.close }
}

/** For one import or export. Where no thread can open the file of the store all is done here. */
export function transferThread(deps: Pick<Daemon, 'store' | 'log'>): AskTransfer {
  return askOrDoHere(deps.store.file.othersCanOpen() ? kept.ifKept(deps) : undefined, deps.log)
}

/** Once the thread broke, all is done here. */
export function askOrDoHere(
  thread: Pick<RestingThread, 'ask'> | undefined,
  log: Pick<Daemon['log'], 'warn'>,
): AskTransfer {
  let currentThread = thread
  return async <T>(question: TransferQuestion, given: readonly unknown[], here: () => Promise<T>) => {
    if (!currentThread) return here()
    try {
      return (await currentThread.ask(question, given)) as T
    } catch (error) {
      if (error instanceof AppError) throw error
      log.warn({ err: error }, 'the thread of imports and exports broke: the rest is read without it')
      currentThread = undefined
      return here()
    }
  }
}
