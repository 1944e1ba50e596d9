import test from 'ava'
import { flushCheckpoints, setDurable } from '../../../../../src/store/sqlite/connection/connection.js'
import BetterSqlite from '../../../../../src/store/sqlite/connection/driver.js'

function connect() {
  const connection = new BetterSqlite(':memory:')
  return {
    connection,
    pragmas: () =>
      ['synchronous', 'fullfsync', 'checkpoint_fullfsync'].map(name =>
        connection.pragma(name, { simple: true }),
      ),
  }
}

test('on macOS a durable commit empties the cache of the drive, and others do not', t => {
  const { connection, pragmas } = connect()
  setDurable(connection, true, 'darwin')
  t.deepEqual(pragmas(), [2, 1, 0])
  setDurable(connection, false, 'darwin')
  t.deepEqual(pragmas(), [1, 0, 0])
})

test('on macOS every copy of the log empties the cache of the drive', t => {
  const { connection, pragmas } = connect()
  flushCheckpoints(connection, 'darwin')
  setDurable(connection, false, 'darwin')
  t.deepEqual(pragmas(), [1, 0, 1])
})

test('other systems empty that cache at every sync, so nothing more is asked of them', t => {
  const { connection, pragmas } = connect()
  flushCheckpoints(connection, 'linux')
  setDurable(connection, true, 'linux')
  t.deepEqual(pragmas(), [2, 0, 0])
})
