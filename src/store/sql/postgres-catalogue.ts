import { type RawBuilder, sql } from 'kysely'

// The queries of `catalogue.ts` as PostgreSQL's catalogue answers them, with the same columns.

const ownTables = sql`pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()`
const tableOf = (table: string): RawBuilder<unknown> => sql`to_regclass(quote_ident(${table}))`

/** A row number is not a column of the product (`rowNumber`). */
const isNumber = sql`a.attname = 'rowid'`
/** An identity is one, also as the key of its table. */
const isCounted = sql`a.attidentity <> ''`

/** Its mark of the last commit is the store's own (`postgres/last-commit.ts`). */
const isOfProduct = sql`c.relname <> 'last_commit'`

export const tables = sql`SELECT c.relname AS name, CASE c.relkind WHEN 'v' THEN 'view' ELSE 'table' END AS type,
  CASE WHEN EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND ${isCounted}) THEN 0 ELSE 1 END AS wr,
  NULL AS sql
  FROM ${ownTables} WHERE c.relkind IN ('r', 'v') AND ${isOfProduct} ORDER BY c.relname`

export const index = (name: string): RawBuilder<unknown> =>
  sql`SELECT 1 FROM ${ownTables} WHERE c.relkind = 'i' AND c.relname = ${name}`

export const columns = (
  table: string,
): RawBuilder<unknown> => sql`SELECT a.attnum - 1 AS cid, a.attname AS name,
  CASE format_type(a.atttypid, NULL) WHEN 'bigint' THEN 'INTEGER' WHEN 'double precision' THEN 'REAL'
    WHEN 'bytea' THEN 'BLOB' ELSE 'TEXT' END AS type,
  a.attnotnull AS "notnull", pg_get_expr(d.adbin, d.adrelid) AS dflt_value,
  COALESCE(array_position(i.indkey::int[], a.attnum::int) + 1, 0) AS pk
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
  WHERE a.attrelid = ${tableOf(table)} AND a.attnum > 0 AND NOT a.attisdropped AND NOT ${isNumber} ORDER BY a.attnum`

export const indexes = (table: string): RawBuilder<unknown> => sql`SELECT x.relname AS name,
  i.indisunique AS "unique", CASE WHEN i.indpred IS NULL THEN 0 ELSE 1 END AS partial, a.attname AS "column"
  FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
  CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
  LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
  WHERE i.indrelid = ${tableOf(table)} ORDER BY x.relname, k.place`

export const references = (table: string): RawBuilder<unknown> => sql`SELECT f.oid AS id,
  f.confrelid::regclass::text AS "table", a.attname AS "from", b.attname AS "to",
  CASE f.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'NO ACTION' END AS on_delete
  FROM pg_constraint f CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k(own, other, place)
  JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.own
  JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.other
  WHERE f.contype = 'f' AND f.conrelid = ${tableOf(table)} ORDER BY f.oid, k.place`

export const pages = sql`SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0) / 8192 AS pages, 0 AS free,
  8192 AS "pageBytes" FROM ${ownTables} WHERE c.relkind = 'r'`

/** The kind, value and size of a column, whose type is the same in every row. */
export function sampled(own: RawBuilder<unknown>, type: string, maxLength: number): RawBuilder<unknown>[] {
  const kind = { INTEGER: 'integer', REAL: 'real', BLOB: 'blob' }[type] ?? 'text'
  const isText = kind === 'text'
  return [
    sql`CASE WHEN ${own} IS NULL THEN 'null' ELSE ${sql.lit(kind)} END`,
    kind === 'blob' ? sql`NULL` : isText ? sql`substr(${own}, 1, ${maxLength})` : own,
    isText || kind === 'blob' ? sql`octet_length(${own})` : sql`NULL::bigint`,
  ]
}

const sequenceOf = (table: string, column: string): RawBuilder<unknown> =>
  sql`pg_get_serial_sequence(quote_ident(${table}), ${column})`

export const counter = (table: string, column: string): RawBuilder<unknown> =>
  sql`SELECT pg_sequence_last_value(${sequenceOf(table, column)}::regclass) AS counter`

export const setCounter = (table: string, column: string, counter: number): RawBuilder<unknown> =>
  sql`SELECT setval(${sequenceOf(table, column)}::regclass, ${counter}::bigint)`
