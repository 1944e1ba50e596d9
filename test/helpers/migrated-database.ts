import BetterSqlite from 'better-sqlite3'
import { migrate } from '../../src/store/migrations/migrate.js'
import { prepareNew } from '../../src/store/sql/connection.js'

const made: { bytes?: Buffer } = {}

/** An empty database file of the newest schema, migrated once in each process of tests. */
export function migratedDatabase(): Buffer {
  made.bytes ??= migratedInMemory()
  return made.bytes
}

function migratedInMemory(): Buffer {
  const connection = new BetterSqlite(':memory:')
  try {
    prepareNew(connection)
    migrate(connection, new Date('2026-01-01T00:00:00Z'))
    return connection.serialize()
  } finally {
    connection.close()
  }
}
