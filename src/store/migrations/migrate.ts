import type { Database as Connection } from 'better-sqlite3'
import { schemaOf } from '../sqlite/connection/connection.js'
import { schema } from './0001/schema.js'
import { vectorCounts } from './0010/vector-counts.js'
import {
  charsets,
  expiry,
  imports,
  knowledge,
  layout,
  logins,
  nodes,
  projects,
  rowNumbers,
  saveIndexes,
  saveTrees,
  sessionTurns,
  stoppingNodes,
  sync,
  taskAgents,
} from './later.js'
import { convertUnreleased, isUnreleased, unreleasedRefusal } from './unreleased.js'

export interface Migration {
  name: string
  sql: string
  /**
   * Daemons of earlier releases serve on beside it: it adds tables, indexes and columns that may be left
   * out. A later release removes the parts that it replaces.
   */
  expands?: true
}

/** Numbered by position from 1. A migration of a release is never edited; later ones are appended. */
export const migrations: readonly Migration[] = [
  { name: 'schema', sql: schema },
  { name: 'projects', sql: projects },
  { name: 'knowledge', sql: knowledge },
  { name: 'imports', sql: imports },
  { name: 'charsets', sql: charsets },
  { name: 'layout', sql: layout },
  { name: 'expiry', sql: expiry },
  { name: 'task-agents', sql: taskAgents },
  { name: 'logins', sql: logins },
  { name: 'vector-counts', sql: vectorCounts },
  { name: 'sync', sql: sync },
  { name: 'session-turns', sql: sessionTurns },
  { name: 'save-indexes', sql: saveIndexes },
  { name: 'save-trees', sql: saveTrees },
  { name: 'nodes', sql: nodes },
  { name: 'row-numbers', sql: rowNumbers },
  { name: 'stopping-nodes', sql: stoppingNodes, expands: true },
]

export interface MigrationState {
  applied: number
  known: number
}

/**
 * Brings the database to the newest schema. Each migration is one transaction, so that a crash leaves a
 * complete version. A new database gets all of them in one transaction, because each transaction waits for
 * the disk.
 * @throws Error when `schemaRefusal` has a reason.
 */
export function migrate(connection: Connection, now: Date): MigrationState {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  )
  const refusal = schemaRefusal(connection)
  if (refusal) throw new Error(refusal)
  convertUnreleased(connection, migrations[0]!.name)
  const applied = schemaOf(connection)
  const record = connection.prepare('INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)')
  const steps = migrations.slice(applied).map(({ name, sql }, offset) => () => {
    connection.exec(sql)
    record.run(applied + offset + 1, name, now.toISOString())
  })
  const all = (): void => {
    for (const step of steps) step()
  }
  for (const step of applied === 0 ? [all] : steps) connection.transaction(step)()
  return { applied: migrations.length, known: migrations.length }
}

/** Returns why this release cannot open a migrated database; undefined when it can. */
export function schemaRefusal(connection: Connection): string | undefined {
  if (isUnreleased(connection)) return unreleasedRefusal(connection)
  const applied = schemaOf(connection)
  if (applied <= migrations.length) return undefined
  return `the database is at schema ${applied}, this release knows ${migrations.length}: a newer memory-service wrote it; update this one`
}
