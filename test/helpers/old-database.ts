import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import { migrations } from '../../src/store/migrations/migrate.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { temporaryWorkspace } from './daemon.js'

/** A database as a release left it that did not know a migration yet; close it before it is opened as a store. */
export function databaseBefore(t: ExecutionContext, migration: string): { file: string; old: Database } {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const old = new BetterSqlite(file)
  old.exec(
    'CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  )
  const position = migrations.findIndex(({ name }) => name === migration)
  for (const { name, sql } of migrations.slice(0, position)) {
    old.exec(sql)
    old.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(name, '2025')
  }
  return { file, old }
}
