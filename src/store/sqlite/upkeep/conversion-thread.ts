import { parentPort, workerData } from 'node:worker_threads'
import { convertWhole, copyLog, setDurable } from '../connection/connection.js'
import BetterSqlite from '../connection/driver.js'

// Says `converted` once other connections may write again; the log, which holds the whole file then, is copied after it.
const connection = new BetterSqlite(workerData, { fileMustExist: true })
setDurable(connection, true)
convertWhole(connection)
parentPort?.postMessage('converted')
copyLog(connection)
connection.close()
parentPort?.postMessage('copied')
