import { newDatabase } from '../../src/store/sqlite/new-database.js'

const made: { bytes?: Buffer } = {}

/** An empty database file of the newest schema, migrated once in each test process. */
export function migratedDatabase(): Buffer {
  made.bytes ??= newDatabase(new Date('2026-01-01T00:00:00Z'))
  return made.bytes
}
