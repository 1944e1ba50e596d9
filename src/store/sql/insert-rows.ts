import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { numberColumn } from './dialect.js'
import { type InsertStatement, runEach } from './direct-executor.js'
import { type PackedKind, packed, packedColumnsOf } from './packed.js'

/** A prepared insert for one set of columns. */
interface InsertForm extends InsertStatement {
  columns: readonly string[]
  numberedBy: string | undefined
  /** Positions of columns that are stored as bytes, with their kind. */
  packed: readonly (readonly [place: number, kind: PackedKind])[]
}

interface FormOptions extends Pick<InsertOptions, 'numberedBy'> {
  ending: string
}

/** Cache by table and columns; only imported files vary much in their columns. */
const forms = new Map<string, InsertForm>()
const maxForms = 200
/** Last insert per table, because comparing with it is faster than joining and looking up the columns. */
const lastForms = new Map<string, InsertForm>()

export interface InsertOptions {
  /** Skips rows whose key exists, or replaces those with an equal `key`; by default the statement fails. */
  onConflict?: 'skip' | { key: string }
  /** The column whose value is also the number of the row. */
  numberedBy?: string
  /** Called between rows, which may be many. */
  breathe?: (() => Promise<void> | undefined) | undefined
}

/**
 * Inserts many rows with the columns of the first. Kysely's builder examines each value several times, which
 * for forty columns costs more than SQLite itself, and SQLite buffers all rows of one statement before
 * inserting them.
 */
export async function insertRows<Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  { onConflict, numberedBy, breathe }: InsertOptions = {},
): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const form = formOf(table, columns, { ending: onConflict ? endingOf(columns, onConflict) : '', numberedBy })
  await runEach(db, form, rowsOfValues(form, rows), breathe)
}

function endingOf(columns: readonly string[], onConflict: 'skip' | { key: string }): string {
  if (onConflict === 'skip') return ' ON CONFLICT DO NOTHING'
  const others = columns.filter(column => column !== onConflict.key)
  const changes = others.map(column => `"${column}" = excluded."${column}"`)
  return ` ON CONFLICT ("${onConflict.key}") DO UPDATE SET ${changes.join(', ')}`
}

function* rowsOfValues(form: InsertForm, rows: readonly object[]): Generator<unknown[]> {
  for (const row of rows) {
    const named = row as Record<string, unknown>
    // Looking up each column by name takes four times as long.
    const values = areEqual(form.columns, Object.keys(row))
      ? Object.values(named)
      : form.columns.map(column => named[column])
    if (form.numberedBy !== undefined) values.push(named[form.numberedBy])
    yield packValues(form, values)
  }
}

function packValues(form: InsertForm, values: unknown[]): unknown[] {
  for (const [place, kind] of form.packed) values[place] = packed(kind, values[place] as string | null)
  return values
}

function formOf(table: string, columns: readonly string[], options: FormOptions): InsertForm {
  const kind = `${table} ${options.numberedBy ?? ''}${options.ending}`
  const last = lastForms.get(kind)
  if (last && areEqual(last.columns, columns)) return last
  const key = `${kind} ${columns.join()}`
  const form = forms.get(key) ?? newForm(table, columns, options)
  if (forms.size >= maxForms) forms.clear()
  forms.set(key, form)
  lastForms.set(kind, form)
  return form
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false
  for (let place = 0; place < some.length; place++) if (some[place] !== others[place]) return false
  return true
}

function newForm(table: string, columns: readonly string[], { ending, numberedBy }: FormOptions): InsertForm {
  const named = numberedBy === undefined ? columns : [...columns, numberColumn]
  const names = named.map(column => `"${column}"`).join(', ')
  const places = named.map(() => '?').join(', ')
  const beginning = `INSERT INTO "${table}" (${names}) VALUES `
  const packedPlaces = [...packedColumnsOf(table)]
    .map(([column, kind]) => [columns.indexOf(column), kind] as const)
    .filter(([place]) => place >= 0)
  return {
    columns,
    numberedBy,
    text: `${beginning}(${places})${ending}`,
    beginning,
    ending,
    packed: packedPlaces,
  }
}
