import { Worker } from 'node:worker_threads'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import type { ConversionMessage } from './conversion.js'

const threadModule = {
  from: import.meta.url,
  source: './conversion-thread.ts',
  bundle: './conversion-thread.js',
}

// Native conversion runs in a thread so that the main thread can end at once when the daemon is gone and
// release the file. It uses SIGKILL, because an orderly exit would wait for the thread.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)

const thread = new Worker(threadUrl(threadModule), { workerData: process.argv[2] })
const tell = (message: ConversionMessage, then?: () => void): void =>
  void process.send?.(message, () => then?.())
thread.on('message', (step: 'converted' | 'copied') => tell({ step }, step === 'copied' ? end : undefined))
thread.on('error', error => tell({ failed: error.message }, end))
