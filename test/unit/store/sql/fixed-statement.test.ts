import test from 'ava'
import { Kysely, SqliteDialect, sql } from 'kysely'
import type { Schema } from '../../../../src/store/schema/schema.js'
import { hideLimitValue } from '../../../../src/store/sql/dialect.js'
import { fixedStatement, shapedStatement } from '../../../../src/store/sql/fixed-statement.js'
import BetterSqlite from '../../../../src/store/sqlite/connection/driver.js'

interface WordFilter {
  words: readonly string[]
  less: number
}

test('a statement is built once and accepts values and lists at each run', async t => {
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }) })
  t.teardown(() => db.destroy())
  let built = 0
  const lengths = fixedStatement<WordFilter, { word: string; long: number }>(db, ({ value, rows }) => {
    built++
    const less = value(asked => asked.less)
    return sql`SELECT w.value AS word, length(w.value) - ${less} AS long
      FROM ${rows(({ words }) => words, 'w')} WHERE length(w.value) > ${less}`
  })
  t.deepEqual(await lengths({ words: ['a', 'crane'], less: 1 }), [{ word: 'crane', long: 4 }])
  t.deepEqual(await lengths({ words: ["it's", 'b'], less: 0 }), [
    { word: "it's", long: 4 },
    { word: 'b', long: 1 },
  ])
  t.deepEqual(await lengths({ words: [], less: 0 }), [])
  t.is(built, 1)
})

test('a statement is built once for each shape', async t => {
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }) })
  t.teardown(() => db.destroy())
  const built: string[] = []
  const sum = shapedStatement<{ sign: '+' | '-'; by: number }, number, { value: number }>(
    db,
    ({ sign, by }, { value }) => {
      built.push(sign)
      return sign === '+'
        ? sql`SELECT ${value(n => n)} + ${by} AS value`
        : sql`SELECT ${value(n => n)} - ${by} AS value`
    },
  )
  const values: (number | undefined)[] = []
  for (const sign of ['+', '-', '+'] as const) values.push((await sum({ sign, by: 2 }, 5))[0]?.value)
  values.push((await sum({ sign: '+', by: 3 }, 5))[0]?.value)
  t.deepEqual(values, [7, 3, 7, 8])
  t.deepEqual(built, ['+', '-', '+'])
})

test('a limit becomes part of a sum, so the query plan ignores its value', t => {
  t.is(
    hideLimitValue('SELECT a FROM b LIMIT ? OFFSET ?; select "limit" from c limit ?'),
    'SELECT a FROM b LIMIT 0 + ? OFFSET 0 + ?; select "limit" from c limit 0 + ?',
  )
})
