import { parentPort, workerData } from 'node:worker_threads'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { type CopiedLog, copyLog, emptySharedLog, setDurable } from '../connection/connection.js'
import BetterSqlite from '../connection/driver.js'

/** What a message asks for: to copy the log, or to leave none of it. */
export type LogWork = 'copy' | 'empty'
/** What became of it; `copied` is undefined where a full disk leaves it to the next message. */
export type LogReply = { copied: CopiedLog | undefined } | { emptied: boolean }

const connection = new BetterSqlite(workerData, { fileMustExist: true })
setDurable(connection, true)
parentPort?.on('message', (work: LogWork) => {
  const reply: LogReply =
    work === 'copy'
      ? { copied: whereRoom(() => copyLog(connection)) }
      : { emptied: whereRoom(() => emptySharedLog(connection)) ?? false }
  parentPort?.postMessage(reply)
})

/** Nothing is lost where there is no room: the log stays, and the next message tries again. */
function whereRoom<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!storageFault(error)) throw error
    return undefined
  }
}
