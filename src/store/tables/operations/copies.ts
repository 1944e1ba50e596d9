import { createHash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { columnsOf, counterOf, countRows, referencesOf, setCounter, tablesIn } from '../../sql/catalogue.js'
import { numberColumn } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'
import { packed, packedColumnsOf, unpacked } from '../../sql/packed.js'

/** A table whose rows are copied to another store, the same in both. */
export interface CopiedTable {
  name: string
  columns: readonly string[]
  /** The number of a row is a column of its own, and is copied too. */
  numbered: boolean
  /** The column with numbers that the database gives, if there is one. */
  counter?: string
  /** Columns that order the rows; no two rows have the same values. */
  key: readonly string[]
}

/** Values of the columns, then the number of the row. Ids are texts, however they are stored. */
export type CopiedRow = readonly unknown[]

/** A digest of rows that does not depend on their order, which databases may see differently. */
export interface RowsDigest {
  rows: number
  digest: string
  /** Texts with a NUL, which a server cannot store. */
  withNul: number
}

/** Tables with a few rows that migrations write. */
const prefilled: ReadonlySet<string> = new Set(['meta'])
/** The list of migrations belongs to a store itself. */
const ownTables = /^(?:migrations|sqlite_.*)$/u

/** Reads and writes whole tables, to move a workspace to another store. */
export function copiesTable(db: Kysely<Schema>) {
  return {
    /** Every table, each after those that it refers to. */
    tables: () => copiedTables(db),
    count: (table: CopiedTable) => countRows(db, table.name),
    /** Returns the rows that follow a key. */
    page: (table: CopiedTable, after: CopiedRow | undefined, limit: number) =>
      pageOf(db, table, after, limit),
    /** Returns the last row; undefined in an empty table. */
    last: async (table: CopiedTable): Promise<CopiedRow | undefined> =>
      (await pageOf(db, table, undefined, 1, sql` DESC`))[0],
    /** Removes the rows that a new store has before anything is copied into it. */
    empty: async ({ name }: CopiedTable): Promise<void> => {
      if (prefilled.has(name)) await db.deleteFrom(name as 'meta').execute()
    },
    insert: (table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> =>
      insertRows(db, table.name as 'memories', rows.map(objectOf(table)) as never),
    /** The highest number that a table has given to a row. */
    counter: async ({ name, counter }: CopiedTable): Promise<number | null> =>
      counter === undefined ? null : counterOf(db, name, counter),
    setCounter: async ({ name, counter }: CopiedTable, number: number): Promise<void> => {
      if (counter !== undefined) await setCounter(db, name, counter, number)
    },
  }
}

/** Adds rows to a digest. */
export function createDigest(): { add(rows: readonly CopiedRow[]): void; result(): RowsDigest } {
  const sum = new Uint32Array(8)
  let rows = 0
  let withNul = 0
  return {
    add: more => {
      for (const row of more) {
        const hash = createHash('sha256')
        for (const value of row) {
          if (typeof value === 'string' && value.includes('\0')) withNul++
          hash.update(wordOf(value))
        }
        const bytes = hash.digest()
        for (let lane = 0; lane < sum.length; lane++)
          sum[lane] = (sum[lane] as number) + bytes.readUInt32LE(4 * lane)
      }
      rows += more.length
    },
    result: () => ({ rows, digest: Buffer.from(sum.buffer).toString('hex'), withNul }),
  }
}

/** A value with its kind and length, so that neighbours cannot be mistaken for each other. */
function wordOf(value: unknown): string {
  if (value === null) return 'n;'
  if (typeof value === 'number') return `d${value};`
  if (Buffer.isBuffer(value)) return `b${value.toString('base64')};`
  const text = String(value).replaceAll('\0', '')
  return `s${text.length}:${text};`
}

async function copiedTables(db: Kysely<Schema>): Promise<CopiedTable[]> {
  const found = (await tablesIn(db)).filter(({ name, kind }) => kind === 'table' && !ownTables.test(name))
  const parents = new Map<string, readonly string[]>()
  const byName = new Map<string, CopiedTable>()
  for (const { name, numbered } of found) {
    const columns = await columnsOf(db, name)
    const primary = columns.filter(({ primaryKey }) => primaryKey > 0)
    const isCounted = primary.length === 1 && primary[0]?.type === 'INTEGER'
    const hasNumber = numbered && !isCounted
    byName.set(name, {
      name,
      columns: columns.map(column => column.name),
      numbered: hasNumber,
      ...(numbered && { counter: hasNumber ? numberColumn : (primary[0]?.name as string) }),
      key: primary.length > 0 ? primaryKeyOf(primary) : [numberColumn],
    })
    parents.set(
      name,
      (await referencesOf(db, name)).map(({ table }) => table),
    )
  }
  return inOrder(byName, parents)
}

function primaryKeyOf(primary: Awaited<ReturnType<typeof columnsOf>>): string[] {
  return [...primary].sort((a, b) => a.primaryKey - b.primaryKey).map(({ name }) => name)
}

/** Each table after those that it refers to. @throws Error for tables that refer to each other */
function inOrder(
  tables: ReadonlyMap<string, CopiedTable>,
  parents: ReadonlyMap<string, readonly string[]>,
): CopiedTable[] {
  const ordered = new Map<string, CopiedTable>()
  const place = (name: string, above: readonly string[]): void => {
    const table = tables.get(name)
    if (!table || ordered.has(name)) return
    if (above.includes(name)) throw new Error(`${name} refers to itself by ${above.join(', ')}`)
    for (const parent of parents.get(name) ?? []) if (parent !== name) place(parent, [...above, name])
    ordered.set(name, table)
  }
  for (const name of tables.keys()) place(name, [])
  return [...ordered.values()]
}

async function pageOf(
  db: Kysely<Schema>,
  table: CopiedTable,
  after: CopiedRow | undefined,
  limit: number,
  direction: RawBuilder<unknown> = sql``,
): Promise<CopiedRow[]> {
  const { name, columns, numbered, key } = table
  const named = columns.map(column => sql.ref(column))
  if (numbered) named.push(sql`${sql.ref(numberColumn)} AS row_number` as never)
  const order = sql.join(key.map(column => sql`${sql.ref(column)}${direction}`))
  const { rows } = await sql<Record<string, unknown>>`SELECT ${sql.join(named)} FROM ${sql.table(name)}
    ${after ? sql`WHERE ${following(table, after)}` : sql``} ORDER BY ${order} LIMIT ${limit}`.execute(db)
  const kinds = packedColumnsOf(name)
  return rows.map(row => [
    ...columns.map(column => (kinds.has(column) ? unpacked(row[column]) : row[column])),
    ...(numbered ? [row.row_number] : []),
  ])
}

function following({ name, columns, key }: CopiedTable, after: CopiedRow): RawBuilder<unknown> {
  const kinds = packedColumnsOf(name)
  const values = key.map(column => {
    const value = after[column === numberColumn ? columns.length : columns.indexOf(column)]
    const kind = kinds.get(column)
    return kind ? packed(kind, value as string) : value
  })
  const [one] = key
  if (key.length === 1) return sql`${sql.ref(one as string)} > ${values[0]}`
  return sql`(${sql.join(key.map(column => sql.ref(column)))}) > (${sql.join(values)})`
}

function objectOf({ columns, numbered }: CopiedTable): (row: CopiedRow) => Record<string, unknown> {
  const names = numbered ? [...columns, numberColumn] : columns
  return row => Object.fromEntries(names.map((name, place) => [name, row[place]]))
}
