import { parentPort, workerData } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'

// Each message asks for one checkpoint and is answered when it is done, or was left to the next one.
const connection = new BetterSqlite(workerData, { fileMustExist: true })
connection.pragma('synchronous = FULL')
parentPort?.on('message', () => {
  connection.pragma('wal_checkpoint(PASSIVE)')
  parentPort?.postMessage('done')
})
