import { parentPort, workerData } from 'node:worker_threads'
import { storageFault } from '../../../lib/files/storage-fault.js'
import {
  type CheckpointResult,
  copyLog,
  emptySharedLog,
  flushCheckpoints,
  setDurable,
} from '../connection/connection.js'
import BetterSqlite from '../connection/driver.js'

/** The request: copy the log, or copy and truncate it. */
export type LogRequest = 'copy' | 'empty'
/** The result; `copied` is undefined when a full disk postponed the copy. */
export type LogReply = { copied: CheckpointResult | undefined } | { emptied: boolean }

const connection = new BetterSqlite(workerData, { fileMustExist: true })
flushCheckpoints(connection)
setDurable(connection, true)
parentPort?.on('message', (work: LogRequest) => {
  const reply: LogReply =
    work === 'copy'
      ? { copied: unlessDiskFull(() => copyLog(connection)) }
      : { emptied: unlessDiskFull(() => emptySharedLog(connection)) ?? false }
  parentPort?.postMessage(reply)
})

/** On a full disk the log stays complete, and the next message tries again. */
function unlessDiskFull<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!storageFault(error)) throw error
    return undefined
  }
}
