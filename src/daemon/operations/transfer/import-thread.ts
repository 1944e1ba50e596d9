import { workerData } from 'node:worker_threads'
import { openReader } from '../../../store/database.js'
import { answerAll } from '../../platform/threads/thread-messages.js'
import { createBlockReader } from './read-block.js'

const read = createBlockReader(openReader(workerData as string).tables.transfer)

// Nobody else waits in this thread.
answerAll((_name, [block]) => read(block as Uint8Array, () => undefined))
