import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'
import { numberColumn } from './dialect.js'
import * as postgres from './postgres-catalogue.js'
import { worded } from './wordings.js'

// Queries the catalogue and pages of the database.

export interface CatalogueTable {
  name: string
  kind: 'table' | 'view' | 'virtual' | 'shadow'
  /** Its rows have a number (`rowNumber`); otherwise they are ordered by primary key. */
  numbered: boolean
  sql: string | null
}

export interface CatalogueColumn {
  cid: number
  name: string
  type: string
  notNull: boolean
  defaultValue: string | null
  /** Position in the primary key, from 1; 0 outside it. */
  primaryKey: number
}

export interface CatalogueIndex {
  name: string
  unique: boolean
  partial: boolean
  /** Null for an expression. */
  columns: (string | null)[]
}

export interface CatalogueReference {
  columns: string[]
  table: string
  /** Null means the primary key. */
  references: (string | null)[]
  onDelete: string
}

/** Returns all tables and views in alphabetical order, including those of the database itself. */
export async function tablesIn(db: Kysely<Schema>): Promise<CatalogueTable[]> {
  const { rows } = await worded(
    sql<{ name: string; type: CatalogueTable['kind']; wr: number; sql: string | null }>`
    SELECT l.name, l.type, l.wr, s.sql FROM pragma_table_list l
    LEFT JOIN sqlite_schema s ON s.name = l.name AND s.type IN ('table', 'view')
    WHERE l.schema = 'main' ORDER BY l.name`,
    () => postgres.tables,
  ).execute(db)
  return rows.map(row => ({
    name: row.name,
    kind: row.type,
    numbered: row.type === 'table' && row.wr === 0,
    sql: row.sql,
  }))
}

/** Returns whether a name belongs to an index. */
export async function isIndex(db: Kysely<Schema>, name: string): Promise<boolean> {
  const { rows } = await worded(
    sql`SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ${name}`,
    () => postgres.index(name),
  ).execute(db)
  return rows.length > 0
}

export async function columnsOf(db: Kysely<Schema>, table: string): Promise<CatalogueColumn[]> {
  const { rows } = await worded(
    sql<{
      cid: number
      name: string
      type: string
      notnull: number
      dflt_value: string | null
      pk: number
    }>`SELECT cid, name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(${table})
    WHERE name <> ${numberColumn} ORDER BY cid`,
    () => postgres.columns(table),
  ).execute(db)
  return rows.map(({ cid, name, type, notnull, dflt_value, pk }) => ({
    cid,
    name,
    type,
    notNull: notnull === 1,
    defaultValue: dflt_value,
    primaryKey: pk,
  }))
}

export async function indexesOf(db: Kysely<Schema>, table: string): Promise<CatalogueIndex[]> {
  const { rows } = await worded(
    sql<{ name: string; unique: number; partial: number; column: string | null }>`
    SELECT l.name, l."unique", l.partial, i.name AS "column"
    FROM pragma_index_list(${table}) l JOIN pragma_index_info(l.name) i
    ORDER BY l.name, i.seqno`,
    () => postgres.indexes(table),
  ).execute(db)
  const found = new Map<string, CatalogueIndex>()
  for (const { name, unique, partial, column } of rows) {
    const index = found.get(name) ?? { name, unique: unique === 1, partial: partial === 1, columns: [] }
    index.columns.push(column)
    found.set(name, index)
  }
  return [...found.values()]
}

/** Returns the foreign keys of a table. */
export async function referencesOf(db: Kysely<Schema>, table: string): Promise<CatalogueReference[]> {
  const { rows } = await worded(
    sql<{
      id: number
      table: string
      from: string
      to: string | null
      on_delete: string
    }>`SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(${table}) ORDER BY id, seq`,
    () => postgres.references(table),
  ).execute(db)
  const found = new Map<number, CatalogueReference>()
  for (const { id, table: owner, from, to, on_delete } of rows) {
    const one = found.get(id) ?? { columns: [], table: owner, references: [], onDelete: on_delete }
    one.columns.push(from)
    one.references.push(to)
    found.set(id, one)
  }
  return [...found.values()]
}

export interface FilePages {
  pages: number
  /** Empty pages. */
  free: number
  pageBytes: number
}

/** Returns the size of the database from its page counts, including pages still in the log. */
export async function pagesOf(db: Kysely<Schema>): Promise<FilePages> {
  const { rows } = await worded(
    sql<FilePages>`SELECT
    (SELECT page_count FROM pragma_page_count()) AS pages,
    (SELECT freelist_count FROM pragma_freelist_count()) AS free,
    (SELECT page_size FROM pragma_page_size()) AS "pageBytes"`,
    () => postgres.pages,
  ).execute(db)
  return rows[0] as FilePages
}

/** One sampled value: the beginning of a text, or the size of bytes. */
export interface SampledValue {
  kind: 'null' | 'integer' | 'real' | 'text' | 'blob'
  value: string | number | null
  /** Size of the whole value; null for numbers. */
  bytes: number | null
}

/**
 * Returns rows of a table or view in stored order, with the given columns. Long texts are truncated in
 * SQLite, so at most `maxLength` characters per value are read into memory.
 */
export async function sampleOf(
  db: Kysely<Schema>,
  { name, numbered }: Pick<CatalogueTable, 'name' | 'numbered'>,
  columns: readonly CatalogueColumn[],
  { limit, offset, maxLength }: { limit: number; offset: number; maxLength: number },
): Promise<SampledValue[][]> {
  const parts = columns.flatMap(({ name: column, type }, at): RawBuilder<unknown>[] => {
    const own = sql`${sql.ref(`r.${column}`)}`
    const [kind, value, bytes] = postgres.sampled(own, type, maxLength)
    return [
      sql`${worded(sql`typeof(${own})`, () => kind!)} AS ${sql.ref(`k${at}`)}`,
      sql`${worded(
        sql`CASE typeof(${own}) WHEN 'blob' THEN NULL WHEN 'text' THEN substr(${own}, 1, ${maxLength})
        ELSE ${own} END`,
        () => value!,
      )} AS ${sql.ref(`v${at}`)}`,
      sql`${worded(sql`octet_length(${own})`, () => bytes!)} AS ${sql.ref(`b${at}`)}`,
    ]
  })
  const key = columns.filter(({ primaryKey }) => primaryKey > 0).sort((a, b) => a.primaryKey - b.primaryKey)
  const named = sql.join(key.map(column => sql.ref(`r.${column.name}`)))
  const byKey = key.length > 0 ? sql`ORDER BY ${named}` : undefined
  const byNumber = sql`ORDER BY r.rowid`
  const order = worded(numbered ? byNumber : (byKey ?? sql``), () => byKey ?? (numbered ? byNumber : sql``))
  const { rows } = await sql<Record<string, unknown>>`SELECT ${sql.join(parts)} FROM ${sql.table(name)} AS r
    ${order} LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows.map(row =>
    columns.map((_, at) => ({
      kind: row[`k${at}`] as SampledValue['kind'],
      value: row[`v${at}`] as SampledValue['value'],
      bytes: row[`b${at}`] as number | null,
    })),
  )
}

export async function countRows(db: Kysely<Schema>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(table)}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Returns the highest number that a table has given to a row, also to one that is gone; null if it has given
 * none. @param column the one with the number
 */
export async function counterOf(db: Kysely<Schema>, table: string, column: string): Promise<number | null> {
  const { rows } = await worded(
    sql<{
      counter: number | null
    }>`SELECT max(COALESCE((SELECT max(${sql.ref(column)}) FROM ${sql.table(table)}), 0),
      COALESCE((SELECT seq FROM sqlite_sequence WHERE name = ${table}), 0)) AS counter`,
    () => postgres.counter(table, column),
  ).execute(db)
  return rows[0]?.counter || null
}

/** Sets the number after which a table goes on; SQLite itself looks at the rows of most tables. */
export async function setCounter(
  db: Kysely<Schema>,
  table: string,
  column: string,
  counter: number,
): Promise<void> {
  const isUnnoted = sql`NOT EXISTS (SELECT 1 FROM sqlite_sequence q WHERE q.name = s.name)`
  await worded(
    sql`INSERT INTO sqlite_sequence (name, seq) SELECT s.name, 0 FROM sqlite_schema s
    WHERE s.name = ${table} AND s.type = 'table' AND s.sql LIKE '%AUTOINCREMENT%' AND ${isUnnoted}`,
    () => sql`SELECT 1`,
  ).execute(db)
  await worded(sql`UPDATE sqlite_sequence SET seq = ${counter} WHERE name = ${table}`, () =>
    postgres.setCounter(table, column, counter),
  ).execute(db)
}
