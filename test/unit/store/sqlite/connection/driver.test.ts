import { createRequire } from 'node:module'
import test from 'ava'
import BetterSqlite from '../../../../../src/store/sqlite/connection/driver.js'

const require = createRequire(import.meta.url)

/** The other driver aborts the process: at Node 24.19 and newer if compiled for it, at Node 20 at once. */
test('the SQLite driver is the one for this version of Node', t => {
  const isNewer = Number(process.versions.node.split('.')[0]) >= 24
  t.is(BetterSqlite, require(isNewer ? 'better-sqlite3-napi' : 'better-sqlite3'))
  const connection = new BetterSqlite(':memory:')
  t.deepEqual(connection.prepare('SELECT 1 AS one').get(), { one: 1 })
  connection.close()
})
