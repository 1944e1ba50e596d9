import { answerAll } from '../../platform/threads/thread-messages.js'
import { createBlockReader } from './read-block.js'

const read = createBlockReader()

// Nobody else waits in this thread.
answerAll((_name, [block]) => read(block as Uint8Array, () => undefined))
