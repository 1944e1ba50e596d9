import { parentPort, workerData } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { storageFault } from '../lib/storage-fault.js'
import { type CopiedLog, copyLog, setDurable } from './sql/connection.js'

// Each message asks for one checkpoint; the reply comes when it is done, or when a full disk leaves it to the next one,
// and says what it copied.
const connection = new BetterSqlite(workerData, { fileMustExist: true })
setDurable(connection, true)
parentPort?.on('message', () => {
  let copied: CopiedLog | undefined
  try {
    copied = copyLog(connection)
  } catch (error) {
    // Nothing is lost where there is no room for it: the log stays, and the next message tries again.
    if (!storageFault(error)) throw error
  }
  parentPort?.postMessage(copied)
})
