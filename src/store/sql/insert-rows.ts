import type { Insertable, Kysely } from 'kysely'
import { slicesOf } from '../../lib/slices-of.js'
import type { Schema } from '../schema/schema.js'
import { queryOf } from './fixed-statement.js'
import { packed, packedColumnsOf } from './packed.js'

/** Rows of one statement, as many at a time as there are left: each number is a statement that stays prepared. */
const rowsTogether = [40, 8, 1]
/** By table, columns and number of rows; many sets of columns come from a strange file alone. */
const texts = new Map<string, string>()
const maxTexts = 200

export interface InsertOptions {
  /** What a row with the key of a stored one does; by default the statement fails. */
  onConflict?: 'skip'
}

/**
 * Inserts many rows of one table as they are. A query builder would look at each value several times: for a row of
 * forty columns that costs more than SQLite does.
 */
export async function insertRows<Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  { onConflict }: InsertOptions = {},
): Promise<void> {
  const columns = columnsOf(rows)
  const ending = onConflict === 'skip' ? 'ON CONFLICT DO NOTHING' : ''
  let rest = rows
  for (const together of rowsTogether) {
    const whole = rest.length - (rest.length % together)
    for (const some of slicesOf(rest.slice(0, whole), together)) {
      const text = textOf(table, columns, some.length, ending)
      await db.executeQuery(queryOf(text, valuesOf(table, some, columns)))
    }
    rest = rest.slice(whole)
  }
}

/** Inserts one row in the same way. */
export async function insertRow<Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  row: Insertable<Schema[Table]>,
): Promise<void> {
  const columns = Object.keys(row)
  await db.executeQuery(queryOf(textOf(table, columns, 1, ''), valuesOf(table, [row], columns)))
}

/** Of all rows: one that lacks a column has nothing there. Most are made in one place and have the same. */
function columnsOf(rows: readonly object[]): string[] {
  const first = Object.keys(rows[0] ?? {})
  if (rows.every(row => areSame(Object.keys(row), first))) return first
  return [...new Set(rows.flatMap(row => Object.keys(row)))]
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((column, position) => column === others[position])
}

function valuesOf(table: string, rows: readonly object[], columns: readonly string[]): unknown[] {
  const values: unknown[] = []
  for (const row of rows)
    for (const column of columns) values.push((row as Record<string, unknown>)[column] ?? null)
  for (const [column, kind] of packedColumnsOf(table)) {
    const first = columns.indexOf(column)
    if (first < 0) continue
    for (let place = first; place < values.length; place += columns.length)
      values[place] = packed(kind, values[place] as string | null)
  }
  return values
}

function textOf(table: string, columns: readonly string[], rows: number, ending: string): string {
  const key = `${table} ${rows} ${ending} ${columns.join()}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const names = columns.map(column => `"${column}"`).join(', ')
  const places = `(${columns.map(() => '?').join(', ')})`
  const text = [
    `INSERT INTO "${table}" (${names})`,
    `VALUES ${Array.from({ length: rows }, () => places).join(', ')}`,
    ending,
  ].join(' ')
  if (texts.size >= maxTexts) texts.clear()
  texts.set(key, text)
  return text
}
