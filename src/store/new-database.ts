import { existsSync, readFileSync } from 'node:fs'
import BetterSqlite, { type Database as Connection } from 'better-sqlite3'
import { replaceFile } from '../lib/replace-file.js'
import { migrate } from './migrations/migrate.js'
import { prepareNew } from './sql/connection.js'

/** Beside the bundles; sources have none. */
const image = new URL('./new-database.bin', import.meta.url)

/** An empty database of the newest schema, as the build keeps one: all migrations take longer than a start. */
export function newDatabase(now: Date): Buffer {
  const connection = new BetterSqlite(':memory:')
  try {
    prepareNew(connection)
    migrate(connection, now)
    return connection.serialize()
  } finally {
    connection.close()
  }
}

/**
 * Puts an empty database where there is none, nor what is left of one; migrations make it where the build kept none.
 * @returns whether it did. @throws node's error; nothing is left of it then.
 */
export function placeNewDatabase(file: string): boolean {
  const isTaken = [file, `${file}-wal`, `${file}-journal`].some(path => existsSync(path))
  if (isTaken || !existsSync(image)) return false
  replaceFile(file, readFileSync(image), 0o600)
  return true
}

/** What the build could not know: when this one was made. */
export function dateNewDatabase(connection: Connection, now: Date): void {
  connection.prepare('UPDATE migrations SET applied_at = ?').run(now.toISOString())
}
