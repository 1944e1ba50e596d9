import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { queryOf } from './fixed-statement.js'
import { packed, packedColumnsOf } from './packed.js'

/** By table and columns; many sets of columns come from a strange file alone. */
const texts = new Map<string, string>()
const maxTexts = 200

export interface InsertOptions {
  /** What a row with the key of a stored one does; by default the statement fails. */
  onConflict?: 'skip'
  /** Called between rows, which may be many. */
  breathe?: (() => Promise<void> | undefined) | undefined
}

/**
 * Inserts many rows of one table as they are, all made in one place: with the columns of the first. A query builder would
 * look at each value several times, which for a row of forty columns costs more than SQLite does; and SQLite keeps the
 * rows of one statement aside before it inserts the first.
 */
export async function insertRows<Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  { onConflict, breathe }: InsertOptions = {},
): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const text = textOf(table, columns, onConflict === 'skip' ? 'ON CONFLICT DO NOTHING' : '')
  for (const row of rows) {
    await db.executeQuery(queryOf(text, valuesOf(table, row, columns)))
    const pause = breathe?.()
    if (pause) await pause
  }
}

/** Inserts one row in the same way. */
export async function insertRow<Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  row: Insertable<Schema[Table]>,
): Promise<void> {
  const columns = Object.keys(row)
  await db.executeQuery(queryOf(textOf(table, columns, ''), valuesOf(table, row, columns)))
}

function valuesOf(table: string, row: object, columns: readonly string[]): unknown[] {
  const values = columns.map(column => (row as Record<string, unknown>)[column] ?? null)
  for (const [column, kind] of packedColumnsOf(table)) {
    const place = columns.indexOf(column)
    if (place >= 0) values[place] = packed(kind, values[place] as string | null)
  }
  return values
}

function textOf(table: string, columns: readonly string[], ending: string): string {
  const key = `${table} ${ending} ${columns.join()}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const names = columns.map(column => `"${column}"`).join(', ')
  const places = columns.map(() => '?').join(', ')
  const text = `INSERT INTO "${table}" (${names}) VALUES (${places}) ${ending}`
  if (texts.size >= maxTexts) texts.clear()
  texts.set(key, text)
  return text
}
