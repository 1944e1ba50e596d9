import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import Compiled from 'better-sqlite3'
import { runProtected } from '../../../lib/threads/run-protected.js'

/** Lowest Node.js major that uses the Node-API driver. */
const minNodeApiMajor = 24

/**
 * SQLite's driver in one of two majors. Compiled against the headers of Node 24.19 to 24.21, the one built
 * for each Node aborts the process when an object is collected (nodejs/node#65446). The Node-API one is
 * prebuilt, but does not support Node 20 and needs 50 % more time per statement.
 */
const BetterSqlite: typeof Compiled =
  Number(process.versions.node.split('.')[0]) >= minNodeApiMajor ? byNodeApi() : Compiled

/** Loads the native part at once, because ending a thread during the load would crash the process. */
function byNodeApi(): typeof Compiled {
  return runProtected(() => {
    const Driver: typeof Compiled = createRequire(import.meta.url)('better-sqlite3-napi')
    if (!isMainThread) new Driver(':memory:').close()
    return Driver
  })
}

export default BetterSqlite
