import test from 'ava'
import type { Database } from 'better-sqlite3'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import BetterSqlite from '../../../../src/store/sqlite/connection/driver.js'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { newDatabase } from '../../../../src/store/sqlite/new-database.js'
import { openRaw } from '../../../helpers/store.js'
import { unreleasedTime, unreleasedWorkspace } from '../../../helpers/unreleased.js'

interface NamedRow {
  name: string
}

test('a new database has the tables of one that 46 migrations of unreleased builds made', async t => {
  const { database: file } = workspacePaths(unreleasedWorkspace(t))
  await openStore(file, unreleasedTime).close()
  const old = openRaw(t, file)
  const made = new BetterSqlite(newDatabase(new Date()))
  t.teardown(() => made.close())
  const names = tablesOf(made)
  t.is(names.length, 92)
  t.deepEqual(names, tablesOf(old))
  for (const name of names) t.deepEqual(tableOf(made, name), tableOf(old, name), name)
  t.deepEqual(statementsOf(made, 'trigger'), statementsOf(old, 'trigger'))
  t.is(made.prepare("SELECT value FROM meta WHERE key = 'change'").pluck().get(), '0')
})

test('a difference in a column, an index, its order or a trigger is detected', t => {
  const before = new BetterSqlite(':memory:')
  before.exec(`CREATE TABLE a (b TEXT, c TEXT DEFAULT 'x');
    CREATE INDEX a_b ON a (b) WHERE b <> 'y'; CREATE INDEX a_c ON a (c)`)
  const changed = (sql: string): Database => {
    const copy = new BetterSqlite(before.serialize())
    copy.exec(sql)
    return copy
  }
  t.deepEqual(tableOf(changed('DROP INDEX a_c; CREATE INDEX a_c  ON a\n(c)'), 'a'), tableOf(before, 'a'))
  for (const sql of [
    'ALTER TABLE a ADD COLUMN d TEXT',
    "DROP INDEX a_b; CREATE INDEX a_b ON a (b) WHERE b <> 'z'",
    "DROP INDEX a_b; CREATE INDEX a_b ON a (b) WHERE b <> 'y'",
    'DROP INDEX a_b; CREATE UNIQUE INDEX a_b ON a (b)',
  ])
    t.notDeepEqual(tableOf(changed(sql), 'a'), tableOf(before, 'a'), sql)
})

function tablesOf(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY name",
    )
    .pluck()
    .all() as string[]
}

/**
 * Returns everything SQLite knows about a table, even the order of indexes, which decides between equal
 * plans.
 */
function tableOf(database: Database, table: string): object {
  const indexes = database.pragma(`index_list('${table}')`) as NamedRow[]
  return {
    kind: database.prepare('SELECT type, wr, strict FROM pragma_table_list WHERE name = ?').get(table),
    columns: database.pragma(`table_xinfo('${table}')`),
    keys: database.pragma(`foreign_key_list('${table}')`),
    indexes,
    columnsOfIndexes: indexes.map(({ name }) => database.pragma(`index_xinfo('${name}')`)),
    isNumbered: /AUTOINCREMENT/u.test(String(statementOf(database, table))),
    statements: indexes.map(({ name }) => plain(statementOf(database, name))),
  }
}

function statementsOf(database: Database, type: string): unknown[] {
  const found = database.prepare('SELECT name, sql FROM sqlite_schema WHERE type = ? ORDER BY name').all(type)
  return (found as { name: string; sql: string }[]).map(({ name, sql }) => [name, plain(sql)])
}

function statementOf(database: Database, name: string): unknown {
  return database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name)
}

/** Indexes created by SQLite itself have no statement. */
function plain(sql: unknown): string | null {
  return typeof sql === 'string' ? sql.replaceAll(/\s+/gu, '') : null
}
