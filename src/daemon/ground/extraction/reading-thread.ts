import { parentPort } from 'node:worker_threads'
import type { ToReader } from './child-messages.js'
import { failed } from './extraction.js'
import { readSource } from './read-source.js'

// Reads in a thread of the child process, so that the child's main thread can look at its memory all the while.
parentPort?.on('message', async (source: ToReader) => {
  parentPort?.postMessage(
    await readSource(source).catch(error =>
      failed('malformed', `its reader gave up: ${(error as Error).message}`),
    ),
  )
})
