import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import Compiled from 'better-sqlite3'
import { undisturbed } from '../../../lib/threads/undisturbed.js'

/** From here on SQLite's driver by Node-API is taken. */
const nodeApiFrom = 24

/**
 * SQLite's driver, in one of two majors. Compiled against the headers of Node 24.19 to 24.21 an object of the one that is
 * built for each Node aborts the process when it is collected (nodejs/node#65446); the other, by Node-API and ready made
 * for each platform, runs on no Node 20 and takes half as much again for a statement.
 */
const BetterSqlite: typeof Compiled =
  Number(process.versions.node.split('.')[0]) >= nodeApiFrom ? byNodeApi() : Compiled

/** With its native part: a thread that is ended while it takes that in takes the process with it. */
function byNodeApi(): typeof Compiled {
  return undisturbed(() => {
    const Driver: typeof Compiled = createRequire(import.meta.url)('better-sqlite3-napi')
    if (!isMainThread) new Driver(':memory:').close()
    return Driver
  })
}

export default BetterSqlite
