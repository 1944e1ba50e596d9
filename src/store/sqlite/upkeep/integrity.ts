import { once } from 'node:events'
import { endThread, startThread } from '../../../lib/threads/run-protected.js'
import { threadUrl } from '../../../lib/threads/thread-url.js'

const threadModule = {
  from: import.meta.url,
  source: './integrity-thread.ts',
  bundle: './integrity-thread.js',
}

/**
 * Checks the pages of a whole database in a thread (SQLite's quick_check).
 * @param signal ends it early.
 * @returns the problems, one per line; none when it is intact. @throws Error when it could not be read to the
 * end.
 */
export async function checkIntegrity(file: string, signal: AbortSignal): Promise<string[]> {
  const worker = startThread(threadUrl(threadModule), { workerData: file })
  try {
    const [problems] = (await once(worker, 'message', { signal })) as [string[]]
    return problems
  } finally {
    await endThread(worker)
  }
}
