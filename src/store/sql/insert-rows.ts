import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { runEach } from './direct-executor.js'
import { queryOf } from './fixed-statement.js'
import { type PackedKind, packed, packedColumnsOf } from './packed.js'

/** How rows with some columns are inserted. */
interface Form {
  columns: readonly string[]
  text: string
  /** Which of the columns hold bytes, and what of. */
  packed: readonly (readonly [place: number, kind: PackedKind])[]
}

/** By table and columns; many sets of columns come from a strange file alone. */
const forms = new Map<string, Form>()
const maxForms = 200
/** By table: most rows have the columns of the one before, which are compared sooner than joined and looked up. */
const lastForms = new Map<string, Form>()

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
  const form = formOf(table, Object.keys(first), onConflict === 'skip' ? 'ON CONFLICT DO NOTHING' : '')
  await runEach(db, form.text, rowsOfValues(form, rows), breathe)
}

function* rowsOfValues(form: Form, rows: readonly object[]): Generator<unknown[]> {
  for (const row of rows) {
    const named = row as Record<string, unknown>
    // Looking for each column by its name takes four times as long.
    const values = areSame(form.columns, Object.keys(row))
      ? Object.values(named)
      : form.columns.map(column => named[column])
    yield packedIn(form, values)
  }
}

/** Inserts one row in the same way. */
export async function insertRow<Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  row: Insertable<Schema[Table]>,
): Promise<void> {
  const form = formOf(table, Object.keys(row), '')
  await db.executeQuery(queryOf(form.text, packedIn(form, Object.values(row))))
}

function packedIn(form: Form, values: unknown[]): unknown[] {
  for (const [place, kind] of form.packed) values[place] = packed(kind, values[place] as string | null)
  return values
}

function formOf(table: string, columns: readonly string[], ending: string): Form {
  const last = lastForms.get(table + ending)
  if (last && areSame(last.columns, columns)) return last
  const key = `${table} ${ending} ${columns.join()}`
  const form = forms.get(key) ?? newForm(table, columns, ending)
  if (forms.size >= maxForms) forms.clear()
  forms.set(key, form)
  lastForms.set(table + ending, form)
  return form
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false
  for (let place = 0; place < some.length; place++) if (some[place] !== others[place]) return false
  return true
}

function newForm(table: string, columns: readonly string[], ending: string): Form {
  const names = columns.map(column => `"${column}"`).join(', ')
  const places = columns.map(() => '?').join(', ')
  const packedPlaces = [...packedColumnsOf(table)]
    .map(([column, kind]) => [columns.indexOf(column), kind] as const)
    .filter(([place]) => place >= 0)
  return {
    columns,
    text: `INSERT INTO "${table}" (${names}) VALUES (${places}) ${ending}`,
    packed: packedPlaces,
  }
}
