import { distrust, prepareToRead, tableNames } from './connection/connection.js'
import BetterSqlite from './connection/driver.js'

/** Values of the named columns; null for a column that this version of the program does not have. */
export type ForeignRow<Column extends string> = Record<Column, string | number | bigint | Buffer | null>

/** A database of another program, read-only. */
export interface ForeignDatabase {
  hasTable(table: string): boolean
  /** Yields the rows in the order of a column, by default of their row numbers. */
  rows<Column extends string>(
    table: string,
    columns: readonly Column[],
    order?: string,
  ): Iterable<ForeignRow<Column>>
  close(): void
}

/**
 * Opens a database that another program owns, also while it writes to it.
 * @throws SqliteError for a file that is not a database.
 */
export function openForeignDatabase(path: string): ForeignDatabase {
  const connection = new BetterSqlite(path, { readonly: true, fileMustExist: true })
  try {
    distrust(connection)
    prepareToRead(connection)
    const tables = new Set(tableNames(connection))
    return {
      hasTable: table => tables.has(table),
      rows: (table, columns, order = 'rowid') => {
        const known = new Set(
          (connection.pragma(`table_info(${quoted(table)})`) as { name: string }[]).map(({ name }) => name),
        )
        const wanted = columns.map(
          column => `${known.has(column) ? quoted(column) : 'NULL'} AS ${quoted(column)}`,
        )
        return connection
          .prepare(`SELECT ${wanted.join(', ')} FROM ${quoted(table)} ORDER BY ${quoted(order)}`)
          .iterate() as Iterable<never>
      },
      close: () => connection.close(),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
