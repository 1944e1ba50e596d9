import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { createGrammars } from '../parsing/grammars.js'
import { readingMark } from './index-folder.js'
import { runIndex } from './run-index.js'
import type { FromChild, ToChild } from './run-request.js'

const grammars = createGrammars()
const tell = (message: FromChild): void => parentPort?.postMessage(message)

parentPort?.on('message', async (request: ToChild) => {
  const mark = openSync(readingMark(request.database), 'w', 0o600)
  const reading = (path: string): void => {
    ftruncateSync(mark)
    writeSync(mark, path, 0)
  }
  try {
    const onProgress = (progress: Parameters<Parameters<typeof runIndex>[1]['onProgress']>[0]): void =>
      tell({ type: 'progress', ...progress })
    const report = await runIndex(request, { grammars, reading, onProgress })
    tell({ type: 'done', report, rssBytes: process.memoryUsage.rss() })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    tell({ type: 'failed', message, code: code ?? null })
  } finally {
    closeSync(mark)
  }
})
