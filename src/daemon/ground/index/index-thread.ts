import { parentPort, workerData } from 'node:worker_threads'
import { memories } from '../../../store/index/collections/memories.js'
import { readAhead } from '../../../store/index/orama/read-ahead.js'
import { serveIndex } from './serve-index.js'
import { threadFromOf } from './thread-from.js'
import type { IndexRequest, IndexThreadAhead, IndexThreadSetup } from './thread-messages.js'

const given: IndexThreadSetup | IndexThreadAhead = workerData

/** Resolves when it was filled for the first time: what a start needs of the thread has run. */
export const filled: Promise<void> = 'ahead' in given ? begunAhead(given) : serveIndex(given)

/** Reads the snapshot of memories until it is said what the thread is for. */
function begunAhead({ ahead, choice }: IndexThreadAhead): Promise<void> {
  const reading = readAhead(ahead, memories, { from: threadFromOf(choice) })
  return new Promise(resolve => {
    // What is sent behind the first message finds who takes it.
    parentPort?.once('message', (request: IndexRequest) => {
      if (request.type === 'begin') resolve(serveIndex(request.setup, reading))
    })
  })
}
