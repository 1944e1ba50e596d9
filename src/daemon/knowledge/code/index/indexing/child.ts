import { Worker } from 'node:worker_threads'
import { threadUrl } from '../../../../../lib/threads/thread-url.js'
import type { FromChild, ToChild } from './child-messages.js'

const threadModule = {
  from: import.meta.url,
  source: './indexing-thread.ts',
  bundle: './code-indexing-thread.js',
}
/** Grammars and trees are in memory of WebAssembly, which nothing else bounds and which never shrinks. */
const maxRssBytes = 1280 * 1024 * 1024
const lookEveryMs = 100
const maxHeapMb = 1024

// This process indexes in a thread. Its main thread stays free: it notices when memory grows or the daemon is gone. It
// always ends by SIGKILL: the thread may be stuck in a parser, and what it has not committed is done again.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)

const thread = new Worker(threadUrl(threadModule), {
  resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
})
process.on('message', (request: ToChild) => thread.postMessage(request))
thread.on('message', (message: FromChild) => void process.send?.(message))
thread.on('error', error => {
  const { code = null, message } = error as NodeJS.ErrnoException
  tellLast(code === 'ERR_WORKER_OUT_OF_MEMORY' ? { type: 'over' } : { type: 'failed', message, code })
})
setInterval(() => {
  if (process.memoryUsage.rss() > maxRssBytes) tellLast({ type: 'over' })
}, lookEveryMs)

function tellLast(message: FromChild): void {
  process.send?.(message, undefined, undefined, end)
}
