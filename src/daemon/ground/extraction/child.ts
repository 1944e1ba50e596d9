import { Worker } from 'node:worker_threads'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import { type ChildReply, type ChildRequest, pieceCharacters, type ReaderRequest } from './child-messages.js'
import { extractionFailure, type ReadingResult } from './extraction.js'

const threadModule = {
  from: import.meta.url,
  source: './reading-thread.ts',
  bundle: './extraction-thread.js',
}
/** The heap limit does not cover native readers and buffers, so resident memory is checked too. */
const maxRssBytes = 1024 * 1024 * 1024
const lookEveryMs = 50
const maxHeapMb = 512

// This process reads one file at a time in a thread; its main thread watches memory and the daemon's
// connection. It always ends with SIGKILL: an orderly exit would wait for the thread, which may be stuck in
// native code.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)

const reader = new Worker(threadUrl(threadModule), {
  resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
})
let pieces: Uint8Array[] = []
/** CPU use before the current file and its limit; undefined between files. */
let processor: { before: NodeJS.CpuUsage; mostMs: number } | undefined

process.on('message', (message: ChildRequest) => {
  if (message.type === 'bytes') {
    pieces.push(message.piece)
    return
  }
  const { type: _, processorMs: mostMs, ...named } = message
  processor = { before: process.cpuUsage(), mostMs }
  reader.postMessage({ ...named, bytes: Buffer.concat(pieces) } satisfies ReaderRequest)
  pieces = []
})
reader.once('online', () => void sendMessage({ type: 'up' }))
reader.on('message', (reading: ReadingResult) => {
  processor = undefined
  void answer(reading)
})
reader.on('error', error => {
  const full = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
  sendMessage(
    full
      ? { type: 'over', of: 'memory' }
      : {
          type: 'done',
          reading: extractionFailure('crashed', `its parser crashed: ${error.message}`),
          rssBytes: maxRssBytes,
        },
  ).then(end, end)
})
setInterval(() => {
  const of = exceeded()
  if (of) sendMessage({ type: 'over', of }).then(end, end)
}, lookEveryMs)

/** Only CPU time counts, since a busy machine may delay a file without any fault of its own. */
function exceeded(): 'memory' | 'processor' | undefined {
  if (process.memoryUsage.rss() > maxRssBytes) return 'memory'
  if (!processor) return undefined
  const { user, system } = process.cpuUsage(processor.before)
  return (user + system) / 1000 > processor.mostMs ? 'processor' : undefined
}

async function answer(reading: ReadingResult): Promise<void> {
  if (reading.status === 'extracted') {
    const { markdown } = reading
    for (let at = 0; at < markdown.length; at += pieceCharacters)
      await sendMessage({ type: 'text', piece: markdown.slice(at, at + pieceCharacters) })
    await sendMessage({
      type: 'done',
      reading: { ...reading, markdown: '' },
      rssBytes: process.memoryUsage.rss(),
    })
    return
  }
  await sendMessage({ type: 'done', reading, rssBytes: process.memoryUsage.rss() })
}

/** Resolves once the message was handed to the channel. */
function sendMessage(message: ChildReply): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, error => (error ? reject(error) : resolve()))
  })
}
