import { parentPort, workerData } from 'node:worker_threads'
import { convertWhole, copyLog, flushCheckpoints, setDurable } from '../connection/connection.js'
import BetterSqlite from '../connection/driver.js'

// Reports `converted` once other connections may write; the log, which then contains the whole file, is
// copied after.
const connection = new BetterSqlite(workerData, { fileMustExist: true })
flushCheckpoints(connection)
setDurable(connection, true)
convertWhole(connection)
parentPort?.postMessage('converted')
copyLog(connection)
connection.close()
parentPort?.postMessage('copied')
