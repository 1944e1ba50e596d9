import { Worker } from 'node:worker_threads'
import { threadUrl } from '../../../../../lib/threads/thread-url.js'
import type { FromChild, ToChild } from './run-request.js'

const threadModule = {
  from: import.meta.url,
  source: './indexing-thread.ts',
  bundle: './code-indexing-thread.js',
}
/** Grammars and trees use WebAssembly memory, which has no other limit and never shrinks. */
const maxRssBytes = 1280 * 1024 * 1024
const lookEveryMs = 100
const maxHeapMb = 1024

// Indexes in a thread, so that the main thread can watch memory and the daemon. The process always ends with
// SIGKILL, because the thread may be stuck in a parser; uncommitted work is repeated.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)

const thread = new Worker(threadUrl(threadModule), {
  resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
})
process.on('message', (request: ToChild) => thread.postMessage(request))
thread.on('message', (message: FromChild) => void process.send?.(message))
thread.on('error', error => {
  const { code = null, message } = error as NodeJS.ErrnoException
  sendAndExit(code === 'ERR_WORKER_OUT_OF_MEMORY' ? { type: 'over' } : { type: 'failed', message, code })
})
setInterval(() => {
  if (process.memoryUsage.rss() > maxRssBytes) sendAndExit({ type: 'over' })
}, lookEveryMs)

function sendAndExit(message: FromChild): void {
  process.send?.(message, undefined, undefined, end)
}
