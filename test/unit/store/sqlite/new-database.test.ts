import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { Database } from 'better-sqlite3'
import { migrations } from '../../../../src/store/migrations/migrate.js'
import { prepareNew } from '../../../../src/store/sqlite/connection/connection.js'
import BetterSqlite from '../../../../src/store/sqlite/connection/driver.js'
import { newDatabase } from '../../../../src/store/sqlite/new-database.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** Returns everything in a database except its creation time. */
function contentsOf(database: Database): object {
  const objects = database
    .prepare(`SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name`)
    .all() as { type: string; name: string }[]
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name)
  const rows = tables.map(name => [
    name,
    name === 'migrations'
      ? database.prepare('SELECT version, name FROM migrations').all()
      : database.prepare(`SELECT * FROM "${name}"`).all(),
  ])
  const settings = ['auto_vacuum', 'page_size', 'encoding', 'user_version', 'application_id']
  return { objects, rows, settings: settings.map(name => database.pragma(name)) }
}

test('the prebuilt empty database equals the result of all migrations', t => {
  const kept = new BetterSqlite(readFileSync(join(root, 'dist', 'new-database.bin')))
  const stepwise = new BetterSqlite(':memory:')
  prepareNew(stepwise)
  stepwise.exec(
    'CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  )
  for (const { name, sql } of migrations) {
    stepwise.exec(sql)
    stepwise.prepare(`INSERT INTO migrations (name, applied_at) VALUES (?, '2026')`).run(name)
  }
  t.deepEqual(withoutIfNotExists(contentsOf(kept)), withoutIfNotExists(contentsOf(stepwise)))
  t.deepEqual(contentsOf(new BetterSqlite(newDatabase(new Date()))), contentsOf(kept))
  t.is(kept.pragma('integrity_check', { simple: true }), 'ok')
})

function withoutIfNotExists(contents: object): unknown {
  return JSON.parse(JSON.stringify(contents).replaceAll('CREATE TABLE IF NOT EXISTS', 'CREATE TABLE'))
}
