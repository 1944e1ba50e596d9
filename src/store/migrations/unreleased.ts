import type { Database as Connection } from 'better-sqlite3'
import { schemaOf } from '../sqlite/connection/connection.js'

// Builds before 0.1.0 made the tables of `0001` by 46 migrations. This file is removed in 0.2.0.

/** Number of the last migration of these builds. */
export const lastUnreleased = 46

/**
 * Records a database with all 46 migrations as one that `0001` made, since the tables are equal. The time of its first
 * migration stays: it says when the database was made.
 */
export function convertUnreleased(connection: Connection, name: string): void {
  if (!isUnreleased(connection)) return
  connection.transaction(() => {
    connection.exec('DELETE FROM migrations WHERE version > 1')
    connection.prepare('UPDATE migrations SET name = ? WHERE version = 1').run(name)
  })()
}

/** True for a database that a build before 0.1.0 made: its first migration has another name. */
export function isUnreleased(connection: Connection): boolean {
  return (
    connection.prepare("SELECT 1 FROM migrations WHERE version = 1 AND name = 'memories'").get() !== undefined
  )
}

/** Why an unreleased database cannot be converted; undefined when it can. */
export function unreleasedRefusal(connection: Connection): string | undefined {
  const applied = schemaOf(connection)
  if (applied === lastUnreleased) return undefined
  return (
    `an unreleased build made the database and stopped at migration ${applied} of ${lastUnreleased}: start the daemon ` +
    'of commit 67e2b6b0 once on this workspace, or export the memories with the build that made it and import them here'
  )
}
