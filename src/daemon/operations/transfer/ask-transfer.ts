import { availableParallelism } from 'node:os'
import { Worker as Thread } from 'node:worker_threads'
import { AppError } from '../../../contract/ground/errors.js'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { createRestingThread, type RestingThread } from '../../platform/threads/resting-thread.js'

const threadModule = { from: import.meta.url, source: './transfer-thread.ts', bundle: './transfer-thread.js' }

/** Questions to the thread: the lines of a file block, the number of selected memories, a page of them. */
export type TransferQuestion = 'block' | 'count' | 'page'

/** Asks the thread if there is one, otherwise calls `here`. @throws errors of either */
export type AskTransfer = <T>(
  question: TransferQuestion,
  given: readonly unknown[],
  here: () => Promise<T>,
) => Promise<T>

const kept = createDaemonState<RestingThread | undefined>()

/**
 * Owns the thread that reads large files for imports and large databases for exports. With a single core
 * there is none.
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

/** For one import or export. When no thread can open the database, everything runs here. */
export function transferThread(deps: Pick<Daemon, 'store' | 'log'>): AskTransfer {
  return askWithFallback(deps.store.file?.othersCanOpen() ? kept.ifKept(deps) : undefined, deps.log)
}

/** After a failure of the thread, everything runs here. */
export function askWithFallback(
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
      log.warn({ err: error }, 'the thread of imports and exports failed; continuing without it')
      currentThread = undefined
      return here()
    }
  }
}
