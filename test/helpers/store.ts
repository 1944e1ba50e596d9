import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import type { Daemon } from '../../src/daemon/platform/daemon/daemon.js'
import { migrations } from '../../src/store/migrations/migrate.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { openStore } from '../../src/store/sqlite/database.js'
import type { FileStore } from '../../src/store/store.js'
import type { NewMemory } from '../../src/store/tables/memory/memories.js'
import { temporaryWorkspace } from './daemon.js'

/** Opens a test store that is closed with the test; `file` is its database. */
export function openTestStore(t: ExecutionContext): { store: FileStore; file: string } {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const store = openStore(file, new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => store.close())
  return { store, file }
}

/**
 * Opens a second connection to a database, for reads and damage beyond the use cases; closed with the test.
 */
export function openRaw(t: Pick<ExecutionContext, 'teardown'>, file: string): Database {
  const raw = new BetterSqlite(file)
  t.teardown(() => raw.close())
  return raw
}

/** Makes a database of an earlier release in an empty file. @param schema the number of its last migration */
export function migrateTo(raw: Database, schema: number): void {
  raw.exec(
    'CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  )
  for (const [place, { name, sql }] of migrations.slice(0, schema).entries()) {
    raw.exec(sql)
    raw.prepare("INSERT INTO migrations VALUES (?, ?, '2026')").run(place + 1, name)
  }
}

/**
 * Stores copies of a saved row with other fields, as another time or release left them. @returns their ids.
 */
export async function storeLike(
  { store, newId }: Pick<Daemon, 'store' | 'newId'>,
  id: string,
  rows: readonly Partial<NewMemory>[],
): Promise<string[]> {
  const [row] = await store.tables.memories.load([id])
  return store.transaction(async tables => {
    const ids = rows.map(() => newId())
    for (const [position, fields] of rows.entries()) {
      const own = ids[position] as string
      const change = await tables.meta.nextChange()
      await tables.memories.insert([{ ...row!, id: own, content_hash: own, change, ...fields }])
    }
    return ids
  })
}
