import test from 'ava'
import type { SqliteDatabase } from 'kysely'
import { insertRows } from '../../../../src/store/sql/insert-rows.js'
import Database from '../../../../src/store/sqlite/connection/driver.js'
import { oneConnection } from '../../../../src/store/sqlite/one-connection.js'

function hintsTable() {
  const connection = new Database(':memory:')
  connection.exec('CREATE TABLE memory_hints (memory_id TEXT PRIMARY KEY, position INTEGER, hint TEXT)')
  const { db } = oneConnection(connection as unknown as SqliteDatabase)
  return { db, rows: () => connection.prepare('SELECT * FROM memory_hints ORDER BY position').all() }
}

const hint = (position: number) => ({ memory_id: `m${position}`, position, hint: `hint ${position}` })

test('any number of rows is inserted, each once and in order', async t => {
  for (const count of [0, 1, 7, 8, 40, 41, 97]) {
    const { db, rows } = hintsTable()
    const wanted = Array.from({ length: count }, (_, position) => hint(position))
    await insertRows(db, 'memory_hints', wanted)
    t.deepEqual(rows(), wanted)
  }
})

test('a row without a column stores null there', async t => {
  const { db, rows } = hintsTable()
  const { hint: _hint, ...bare } = hint(1)
  await insertRows(db, 'memory_hints', [hint(0), bare as ReturnType<typeof hint>])
  t.deepEqual(rows(), [hint(0), { ...bare, hint: null }])
})

test('an undefined value is stored as null, in one row or many', async t => {
  const { db, rows } = hintsTable()
  const blank = (position: number) => ({ ...hint(position), hint: undefined as unknown as string })
  await insertRows(db, 'memory_hints', [blank(0)])
  await insertRows(db, 'memory_hints', [blank(1), blank(2)])
  t.deepEqual(
    rows(),
    [0, 1, 2].map(position => ({ ...hint(position), hint: null })),
  )
})

test('rows with other columns or another column order are stored correctly', async t => {
  const { db, rows } = hintsTable()
  const { memory_id, position, hint: text } = hint(2)
  await insertRows(db, 'memory_hints', [hint(0)])
  await insertRows(db, 'memory_hints', [{ memory_id: 'm1', position: 1 } as ReturnType<typeof hint>])
  await insertRows(db, 'memory_hints', [{ hint: text, position, memory_id }])
  await insertRows(db, 'memory_hints', [hint(3)])
  t.deepEqual(rows(), [hint(0), { ...hint(1), hint: null }, hint(2), hint(3)])
})

test('one row in another order or with more columns among many is stored correctly', async t => {
  const { db, rows } = hintsTable()
  const turned = { hint: 'hint 1', position: 1, memory_id: 'm1' }
  await insertRows(db, 'memory_hints', [hint(0), turned, { ...hint(2), more: 1 } as ReturnType<typeof hint>])
  t.deepEqual(rows(), [hint(0), hint(1), hint(2)])
})

test('a duplicate key fails, or is skipped or replaced on request', async t => {
  const { db, rows } = hintsTable()
  await insertRows(db, 'memory_hints', [hint(0)])
  await t.throwsAsync(insertRows(db, 'memory_hints', [hint(0)]), { any: true, message: /UNIQUE/ })
  await insertRows(db, 'memory_hints', [hint(0), hint(1)], { onConflict: 'skip' })
  t.deepEqual(rows(), [hint(0), hint(1)])
  const other = { ...hint(1), hint: 'another' }
  await insertRows(db, 'memory_hints', [other, hint(2)], { onConflict: { key: 'memory_id' } })
  t.deepEqual(rows(), [hint(0), other, hint(2)])
})

test('a NUL of a text is left out, in statements and in many rows', async t => {
  const { db, rows } = hintsTable()
  await insertRows(db, 'memory_hints', [{ ...hint(0), hint: 'a\0b' }])
  await db
    .insertInto('memory_hints')
    .values({ ...hint(1), hint: '\0c\0' })
    .execute()
  t.deepEqual(rows(), [
    { ...hint(0), hint: 'ab' },
    { ...hint(1), hint: 'c' },
  ])
})
