import test, { type ExecutionContext } from 'ava'
import type { CatalogueColumn } from '../../../../src/store/sql/catalogue.js'
import { numberColumn } from '../../../../src/store/sql/dialect.js'
import type { Store } from '../../../../src/store/store.js'
import { openOnPostgres } from '../../../helpers/postgres.js'
import { openTestStore } from '../../../helpers/store.js'

const keyOf = (columns: readonly CatalogueColumn[]): string =>
  columns
    .filter(({ primaryKey }) => primaryKey > 0)
    .sort((a, b) => a.primaryKey - b.primaryKey)
    .map(({ name }) => name)
    .join()

/** Tables with their columns and unique indexes, as diagnostics read them. */
async function shapeOf(t: ExecutionContext, { tables: { catalogue } }: Store): Promise<object[]> {
  const found = (await catalogue.tables()).filter(
    ({ name, kind }) => kind === 'table' && !name.startsWith('sqlite_'),
  )
  t.true(found.length > 70, `${found.length} tables`)
  return Promise.all(
    found.map(async ({ name, numbered }) => {
      const columns = await catalogue.columns(name)
      const indexes = await catalogue.indexes(name)
      return {
        name,
        numbered,
        columns: columns.map(({ name, notNull, primaryKey }) => ({
          name,
          // SQLite allows NULL in a key of texts, which no statement writes.
          notNull: notNull || primaryKey > 0,
          primaryKey,
        })),
        unique: indexes
          // A key that numbers the rows needs no index in SQLite.
          .filter(index => index.unique && ![keyOf(columns), numberColumn].includes(index.columns.join()))
          .map(({ partial, columns }) => `${partial} ${columns.join()}`)
          .sort(),
      }
    }),
  )
}

test('both stores have the same tables, columns, nullability and unique indexes', async t => {
  const expected = await shapeOf(t, openTestStore(t).store)
  t.deepEqual(await shapeOf(t, (await openOnPostgres(t)).store), expected)
})
