import { type RawBuilder, sql } from 'kysely'

// The fragments of `dialect.ts` as PostgreSQL words them. `postgres/schema.ts` has `json_value` and `round`.

/** Rows with the column `value`; lists go in as arrays, so that their texts need no escapes. */
export const rowsOf = (values: unknown, alias: string): RawBuilder<unknown> =>
  sql`unnest(${values}::text[]) AS ${sql.ref(alias)}(value)`

export const listOf = (values: readonly string[]): RawBuilder<unknown> =>
  sql`(SELECT unnest(${values}::text[]))`

const typeOf = (values: readonly unknown[]): RawBuilder<unknown> =>
  values.every(value => typeof value === 'number') ? sql`bigint[]` : sql`text[]`

export function pairsOf(pairs: readonly (readonly [string, number | string])[]): RawBuilder<unknown> {
  const seconds = pairs.map(([, second]) => second)
  return sql`(SELECT * FROM unnest(${pairs.map(([first]) => first)}::text[], ${seconds}::${typeOf(seconds)}))`
}

export function triplesOf(
  triples: readonly (readonly [string, number | string, string])[],
): RawBuilder<unknown> {
  const seconds = triples.map(([, second]) => second)
  const [firsts, thirds] = [triples.map(([first]) => first), triples.map(triple => triple[2])]
  return sql`(SELECT * FROM unnest(${firsts}::text[], ${seconds}::${typeOf(seconds)}, ${thirds}::text[])
    AS listed(a, b, c))`
}

/** The function names its column `value`; anything but a list has no rows. */
export function jsonListOf(column: string, path: readonly string[]): RawBuilder<unknown> {
  const list = sql`${sql.ref(column)}::jsonb #> ${sql.lit(`{${path.join()}}`)}`
  return sql`jsonb_array_elements_text(CASE jsonb_typeof(${list}) WHEN 'array' THEN ${list} END)`
}

/** Members in their order, whose values are whole numbers. */
export const jsonMembersIn = (json: RawBuilder<unknown>, alias: string): RawBuilder<unknown> =>
  sql`LATERAL (SELECT key, value::bigint AS value FROM json_each_text(${json}::json)) ${sql.ref(alias)}`

export function jsonObjectOf(
  members: readonly (readonly [name: string, value: RawBuilder<unknown>])[],
): RawBuilder<string> {
  const parts = members.map(
    ([name, value]) => sql`${sql.lit(`${JSON.stringify(name)}:`)} || json_value(${value})`,
  )
  return sql`('{' || ${sql.join(parts, sql` || ',' || `)} || '}')`
}

export const jsonTextOf = (text: RawBuilder<unknown>): RawBuilder<string> => sql`json_value(${text})`

export const blanksFor = (column: string): RawBuilder<string> =>
  sql`repeat('x', octet_length(${sql.ref(column)}))`

export const contains = (text: RawBuilder<unknown>, part: string): RawBuilder<unknown> =>
  sql`strpos(${text}, ${part}) > 0`

export const daysSince = (column: string, now: RawBuilder<string>): RawBuilder<number> =>
  sql`GREATEST(0, EXTRACT(EPOCH FROM ${now}::timestamptz - ${sql.ref(column)}::timestamptz)::double precision / 86400)`

export const endOf = (text: RawBuilder<unknown>, characters: number): RawBuilder<string> =>
  sql`right(${text}, ${sql.lit(characters)})`

/** The text behind the sign of `toPack`: a UUID without its dashes, or the text itself. */
export const packedValue = sql`CASE substr(value, 1, 1) || length(value) WHEN 'x33'
  THEN substr(value, 2)::uuid::text ELSE substr(value, 2) END`

/** The limit of nothing keeps the query as it is: each row before it has a few rows by an index. */
export const joinChosen = (
  table: string,
  alias: string,
  key: string,
  chosen: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`CROSS JOIN LATERAL (SELECT of_all.* FROM (${chosen}) AS chosen(key)
  JOIN ${sql.table(table)} of_all ON ${sql.ref(`of_all.${key}`)} = chosen.key OFFSET 0) AS ${sql.ref(alias)}`

export const joinByKey = (
  table: string,
  alias: string,
  key: RawBuilder<unknown>,
  column: string,
): RawBuilder<unknown> => sql`CROSS JOIN LATERAL (SELECT of_all.* FROM ${sql.table(table)} of_all
  WHERE ${sql.ref(`of_all.${column}`)} = ${key} OFFSET 0) AS ${sql.ref(alias)}`

export const joinNumbers = (alias: string, chosen: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`CROSS JOIN LATERAL (${chosen}) AS ${sql.ref(alias)}(rowid)`

export const sameOrNull = (same: RawBuilder<unknown>, none: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`SELECT * FROM (${same}) AS same UNION ALL SELECT * FROM (${none}) AS unset`
