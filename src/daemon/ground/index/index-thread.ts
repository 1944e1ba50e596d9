import { parentPort, workerData } from 'node:worker_threads'
import { memories } from '../../../store/index/collections/memories.js'
import { readAhead } from '../../../store/index/orama/read-ahead.js'
import { serveIndex } from './serve-index.js'
import { threadFromOf } from './thread-from.js'
import type { IndexRequest, IndexThreadAhead, IndexThreadSetup } from './thread-messages.js'

const given: IndexThreadSetup | IndexThreadAhead = workerData

/** Resolves after the first fill: the start of the daemon waits for it. */
export const filled: Promise<void> = 'ahead' in given ? begunAhead(given) : serveIndex(given)

/** Reads the snapshot of memories before the thread receives its setup. */
function begunAhead({ ahead, choice }: IndexThreadAhead): Promise<void> {
  const reading = readAhead(ahead, memories, { from: threadFromOf(choice) })
  return new Promise(resolve => {
    // Messages after the first one are handled by `serveIndex`.
    parentPort?.once('message', (request: IndexRequest) => {
      if (request.type === 'begin') resolve(serveIndex(request.setup, reading))
    })
  })
}
