import type { Database as Connection } from 'better-sqlite3'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { plannedOnce } from '../sql/dialect.js'
import { packedColumnsOf, unpacked } from '../sql/packed.js'

const maxStatements = 300

export interface StatementCacheOptions {
  /** Called with every error of a statement; the error is thrown as well. */
  onFault?: (error: unknown) => void
  /** Called before what writes, once in a transaction; what it throws is thrown, and nothing is written. */
  assertInPlace?: () => void
}

/** The connection with its prepared statements kept: preparing costs more than running a small query. */
export function withStatementCache(
  connection: Connection,
  { onFault = () => undefined, assertInPlace = () => undefined }: StatementCacheOptions = {},
): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  let isInPlace = false
  const beforeWrite = (): void => {
    if (isInPlace && connection.inTransaction) return
    assertInPlace()
    isInPlace = true
  }
  const beforeBegin = (): void => {
    isInPlace = false
  }
  const made = (text: string): SqliteStatement => {
    if (text === 'rollback') return watched(rollback(connection), onFault)
    const { writes, ...statement } = prepared(connection, text)
    return watched(statement, onFault, text === 'begin' ? beforeBegin : writes ? beforeWrite : undefined)
  }
  return {
    prepare: text => {
      const known = statements.get(text)
      if (known) return known
      // Statements with lists of every length come and go; starting over is rare and cheap.
      if (statements.size >= maxStatements) statements.clear()
      const statement = made(text)
      statements.set(text, statement)
      return statement
    },
    close: () => connection.close(),
  }
}

/** A statement whose errors `onFault` hears of. @param before is called each time before it runs. */
function watched(
  statement: SqliteStatement,
  onFault: (error: unknown) => void,
  before?: () => void,
): SqliteStatement {
  const guarded = <T>(work: () => T): T => {
    try {
      before?.()
      return work()
    } catch (error) {
      onFault(error)
      throw error
    }
  }
  return {
    reader: statement.reader,
    all: parameters => guarded(() => statement.all(parameters)),
    run: parameters => guarded(() => statement.run(parameters)),
    iterate: parameters => statement.iterate(parameters),
  }
}

/** SQLite ends a transaction by itself that met a full disk; what is thrown then is that, and not that it is over. */
function rollback(connection: Connection): SqliteStatement {
  const statement = prepared(connection, 'rollback')
  return {
    reader: false,
    all: () => [],
    iterate: parameters => statement.iterate(parameters),
    run: parameters =>
      connection.inTransaction ? statement.run(parameters) : { changes: 0, lastInsertRowid: 0 },
  }
}

/**
 * A statement that reads gives its rows as objects of one shape, copied from an empty row. The driver's own are
 * dictionaries: they cost a quarter of a query for many columns, and more wherever they are looked at.
 */
function prepared(connection: Connection, text: string): SqliteStatement & { writes: boolean } {
  const statement = connection.prepare<unknown[], unknown[]>(plannedOnce(text))
  const run = (parameters: readonly unknown[]) => statement.run(...bound(parameters))
  const writes = !statement.readonly
  if (!statement.reader)
    return {
      reader: false,
      writes,
      run,
      all: () => [],
      iterate: values => statement.iterate(values) as never,
    }
  const described = statement.columns()
  const columns = described.map(({ name }) => name)
  const isStoredPacked = described.map(
    ({ table, column }) => table !== null && column !== null && packedColumnsOf(table).has(column),
  )
  const packedNames = columns.filter((_, place) => isStoredPacked[place])
  const emptyRow: Record<string, unknown> = Object.fromEntries(columns.map(name => [name, null]))
  const toRow = (values: readonly unknown[]): Record<string, unknown> => {
    const row = { ...emptyRow }
    for (let column = 0; column < columns.length; column++) row[columns[column]!] = values[column]
    for (const name of packedNames) row[name] = unpacked(row[name])
    return row
  }
  statement.raw()
  return {
    reader: true,
    writes,
    all: parameters => statement.all(...bound(parameters)).map(toRow),
    run,
    *iterate(parameters) {
      for (const values of statement.iterate(parameters)) yield toRow(values)
    },
  }
}

/** So many values may be arguments of a call. */
const mostArguments = 1000

/** The values of a statement as the driver takes them: a list of them costs it half as much again as one by one. */
function bound(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.length > mostArguments ? [parameters] : parameters
}
