import type { Database as Connection } from 'better-sqlite3'
import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { hideLimitValue } from '../sql/dialect.js'
import { packedColumnsOf, unpacked } from '../sql/packed.js'

const maxStatements = 300

export interface StatementCacheOptions {
  /** Called with every error of a statement; the error is thrown as well. */
  onFault?: (error: unknown) => void
  /** Called before writes, once per transaction; if it throws, nothing is written. */
  assertInPlace?: () => void
}

/** Adds a cache of prepared statements to the connection, because preparing costs more than a small query. */
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
    if (text === 'rollback') return withFaultReport(rollback(connection), onFault)
    const { writes, ...statement } = prepareStatement(connection, text)
    return withFaultReport(
      statement,
      onFault,
      text === 'begin' ? beforeBegin : writes ? beforeWrite : undefined,
    )
  }
  return {
    prepare: text => {
      const known = statements.get(text)
      if (known) return known
      // Statements with lists of all lengths vary; clearing the cache is rare and cheap.
      if (statements.size >= maxStatements) statements.clear()
      const statement = made(text)
      statements.set(text, statement)
      return statement
    },
    close: () => connection.close(),
  }
}

/** Reports a statement's errors to `onFault`. @param before is called before each run. */
function withFaultReport(
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

/**
 * SQLite ends a transaction itself on a full disk; the error thrown must be that one, not the failed
 * rollback.
 */
function rollback(connection: Connection): SqliteStatement {
  const statement = prepareStatement(connection, 'rollback')
  return {
    reader: false,
    all: () => [],
    iterate: parameters => statement.iterate(parameters),
    run: parameters =>
      connection.inTransaction ? statement.run(parameters) : { changes: 0, lastInsertRowid: 0 },
  }
}

/**
 * Returns rows as objects of one shape, copied from an empty row. The driver's own objects are dictionaries,
 * which cost a quarter of a wide query and more at each access.
 */
function prepareStatement(connection: Connection, text: string): SqliteStatement & { writes: boolean } {
  const statement = connection.prepare<unknown[], unknown[]>(hideLimitValue(text))
  const run = (parameters: readonly unknown[]) => statement.run(...bindValues(parameters))
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
    all: parameters => statement.all(...bindValues(parameters)).map(toRow),
    run,
    *iterate(parameters) {
      for (const values of statement.iterate(parameters)) yield toRow(values)
    },
  }
}

/** Maximum number of call arguments. */
const mostArguments = 1000

/** Passes values as arguments, because a list costs the driver 50 % more. */
function bindValues(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.length > mostArguments ? [parameters] : parameters
}
