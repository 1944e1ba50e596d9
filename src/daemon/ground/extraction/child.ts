import { Worker } from 'node:worker_threads'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import { type FromChild, pieceCharacters, type ToChild, type ToReader } from './child-messages.js'
import { failed, type Reading } from './extraction.js'

const threadModule = {
  from: import.meta.url,
  source: './reading-thread.ts',
  bundle: './extraction-thread.js',
}
/** Native readers and buffers are bounded by nothing else. */
const maxRssBytes = 1024 * 1024 * 1024
const lookEveryMs = 50
const maxHeapMb = 512

// This process reads one file at a time in a thread. Its main thread stays free: it notices when memory grows or the
// daemon is gone. It always ends by SIGKILL, since an orderly end would wait for the thread, which may be stuck in
// native code.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)

const reader = new Worker(threadUrl(threadModule), {
  resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
})
let pieces: Uint8Array[] = []
/** What the processor had done, and may have done, for the file that is read; undefined between two files. */
let processor: { before: NodeJS.CpuUsage; mostMs: number } | undefined

process.on('message', (message: ToChild) => {
  if (message.type === 'bytes') {
    pieces.push(message.piece)
    return
  }
  const { type: _, processorMs: mostMs, ...named } = message
  processor = { before: process.cpuUsage(), mostMs }
  reader.postMessage({ ...named, bytes: Buffer.concat(pieces) } satisfies ToReader)
  pieces = []
})
reader.once('online', () => void tell({ type: 'up' }))
reader.on('message', (reading: Reading) => {
  processor = undefined
  void answer(reading)
})
reader.on('error', error => {
  const full = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
  tell(
    full
      ? { type: 'over', of: 'memory' }
      : {
          type: 'done',
          reading: failed('crashed', `its reader broke: ${error.message}`),
          rssBytes: maxRssBytes,
        },
  ).then(end, end)
})
setInterval(() => {
  const of = exceeded()
  if (of) tell({ type: 'over', of }).then(end, end)
}, lookEveryMs)

/** A busy machine keeps a file waiting: only what the processor does for it counts. */
function exceeded(): 'memory' | 'processor' | undefined {
  if (process.memoryUsage.rss() > maxRssBytes) return 'memory'
  if (!processor) return undefined
  const { user, system } = process.cpuUsage(processor.before)
  return (user + system) / 1000 > processor.mostMs ? 'processor' : undefined
}

async function answer(reading: Reading): Promise<void> {
  if (reading.status === 'extracted') {
    const { markdown } = reading
    for (let at = 0; at < markdown.length; at += pieceCharacters)
      await tell({ type: 'text', piece: markdown.slice(at, at + pieceCharacters) })
    await tell({ type: 'done', reading: { ...reading, markdown: '' }, rssBytes: process.memoryUsage.rss() })
    return
  }
  await tell({ type: 'done', reading, rssBytes: process.memoryUsage.rss() })
}

/** Resolves when it is on its way. */
function tell(message: FromChild): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, error => (error ? reject(error) : resolve()))
  })
}
