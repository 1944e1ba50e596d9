import { parentPort } from 'node:worker_threads'
import type { ReaderRequest } from './child-messages.js'
import { extractionFailure } from './extraction.js'
import { readSource } from './read-source.js'

// Reads in a thread, so that the child's main thread can keep checking memory.
parentPort?.on('message', async (source: ReaderRequest) => {
  parentPort?.postMessage(
    await readSource(source).catch(error =>
      extractionFailure('malformed', `its parser failed: ${(error as Error).message}`),
    ),
  )
})
