import { type RawBuilder, type SqlBool, sql } from 'kysely'
import * as postgres from './postgres-dialect.js'
import { worded } from './wordings.js'

/*
 * SQL fragments that databases word differently: here as SQLite has them, with PostgreSQL's form beside them.
 * All other SQL is valid in SQLite (from 3.43) and PostgreSQL (from 15), including `octet_length`, `substr`,
 * row values, `IS NOT DISTINCT FROM`, `ON CONFLICT (...)`, `RETURNING` and window functions.
 */

/** A list for `IN`, passed as one parameter so that the statement stays prepared for any length. */
export function listOf(values: readonly string[]): RawBuilder<unknown> {
  return worded(sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`, () => postgres.listOf(values))
}

/** Pairs of a text and a value for `(column, column) IN`, passed as one parameter. */
export function pairsOf(pairs: readonly (readonly [string, number | string])[]): RawBuilder<unknown> {
  return worded(
    sql`(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(${JSON.stringify(pairs)}))`,
    () => postgres.pairsOf(pairs),
  )
}

/** Triples as rows with the columns `a`, `b` and `c`, passed as one parameter. */
export function triplesOf(
  triples: readonly (readonly [string, number | string, string])[],
): RawBuilder<unknown> {
  return worded(
    sql`(SELECT json_extract(value, '$[0]') AS a, json_extract(value, '$[1]') AS b,
    json_extract(value, '$[2]') AS c FROM json_each(${JSON.stringify(triples)}))`,
    () => postgres.triplesOf(triples),
  )
}

/**
 * A list as rows with one column, `value`.
 * @param alias of the rows
 */
export function rowsOf(values: readonly string[], alias: string): RawBuilder<unknown> {
  return listedRows(sql`${JSON.stringify(values)}`, sql`${values}`, alias)
}

/** The same for a parameter: as JSON for SQLite, as it is for PostgreSQL. */
export function listedRows(
  json: RawBuilder<unknown>,
  values: RawBuilder<unknown>,
  alias: string,
): RawBuilder<unknown> {
  return worded(sql`json_each(${json}) ${sql.ref(alias)}`, () => postgres.rowsOf(values, alias))
}

/**
 * A list inside a JSON column as rows with one column, `value`.
 * @param path to the list: member names, outermost first.
 */
export function jsonListOf(column: string, path: readonly string[]): RawBuilder<unknown> {
  return worded(sql`json_each(${sql.ref(column)}, ${sql.lit(`$.${path.join('.')}`)})`, () =>
    postgres.jsonListOf(column, path),
  )
}

/** The members of an object in a JSON column as rows with the columns `key` and `value`, whole numbers. */
export function jsonMembersOf(column: string, alias: string): RawBuilder<unknown> {
  return jsonMembersIn(sql.ref(column), alias)
}

/** The same for a JSON expression. */
export function jsonMembersIn(json: RawBuilder<unknown>, alias: string): RawBuilder<unknown> {
  return worded(sql`json_each(${json}) ${sql.ref(alias)}`, () => postgres.jsonMembersIn(json, alias))
}

/**
 * JSON text of an object with members in the given order. Texts, integers and nulls are written as by
 * JavaScript; fractions are not.
 */
export function jsonObjectOf(
  members: readonly (readonly [name: string, value: RawBuilder<unknown>])[],
): RawBuilder<string> {
  return worded(
    sql`json_object(${sql.join(members.flatMap(([name, value]) => [sql.lit(name), value]))})`,
    () => postgres.jsonObjectOf(members),
  )
}

/** Matches numbers from 0 to 1 with at most four decimals, which `jsonNumberOf` writes as JavaScript does. */
export function isShortNumber(column: string): RawBuilder<SqlBool> {
  const number = sql.ref(column)
  return sql`(${number} BETWEEN 0 AND 1 AND round(${number}, 4) = ${number})`
}

/** Such a number for JSON; whole ones get no decimal point. */
export function jsonNumberOf(column: string): RawBuilder<number> {
  const number = sql<number>`${sql.ref(column)}`
  const whole = sql`CAST(${number} AS INTEGER)`
  return worded(sql<number>`CASE WHEN ${number} = ${whole} THEN ${whole} ELSE ${number} END`, () => number)
}

/** A text as JSON, written as by JavaScript. */
export function jsonTextOf(text: RawBuilder<unknown>): RawBuilder<string> {
  return worded(sql`json_quote(${text})`, () => postgres.jsonTextOf(text))
}

/** Matches when a list in a JSON column contains a text. @param path as in `jsonListOf`. */
export function jsonListHas(column: string, path: readonly string[], text: string): RawBuilder<SqlBool> {
  return sql`EXISTS (SELECT 1 FROM ${jsonListOf(column, path)} WHERE value = ${text})`
}

/**
 * A filler of the same byte length as a text. Overwriting in place erases the text before the row is deleted;
 * deleting at once may move neighbouring rows and leave copies behind.
 */
export function blanksFor(column: string): RawBuilder<string> {
  const bytes = sql`octet_length(${sql.ref(column)})`
  return worded(sql`CASE WHEN ${bytes} = 0 THEN '' ELSE printf('%.*c', ${bytes}, 'x') END`, () =>
    postgres.blanksFor(column),
  )
}

/** Matches when a text contains another, with the same case. */
export function contains(text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> {
  return worded(sql`instr(${text}, ${part}) > 0`, () => postgres.contains(text, part))
}

/** The last characters of a text, as an index of such ends has them. */
export function endOf(text: RawBuilder<unknown>, characters: number): RawBuilder<string> {
  return worded(sql`substr(${text}, ${sql.lit(-characters)})`, () => postgres.endOf(text, characters))
}

/** Days since the ISO time in a column, with a fraction; 0 for future times. */
export function daysSince(column: string, now: RawBuilder<string>): RawBuilder<number> {
  return worded(sql`MAX(0, julianday(${now}) - julianday(${sql.ref(column)}))`, () =>
    postgres.daysSince(column, now),
  )
}

/** A condition as a column value, 1 or 0, as only SQLite treats conditions as numbers. */
export function flag(condition: RawBuilder<unknown>): RawBuilder<0 | 1> {
  return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`
}

/** The column with the number of a row. */
export const numberColumn = 'rowid'

/**
 * The number of a row in its table, ascending with insertion and contained in every index. Another database
 * needs an identity column for it.
 * @param table or its alias.
 */
export function rowNumber(table: string): RawBuilder<number> {
  return sql.ref(`${table}.${numberColumn}`)
}

/** A table read through a given index; without statistics SQLite sometimes chooses another. */
export function byIndex(table: string, index: string): RawBuilder<unknown> {
  return worded(sql`${sql.table(table)} INDEXED BY ${sql.ref(index)}`, () => sql`${sql.table(table)}`)
}

/** A column that must not select an index; without statistics SQLite sometimes uses the wrong one. */
export function unindexed<Value>(column: string): RawBuilder<Value> {
  return worded(sql`+${sql.ref(column)}`, () => sql`${sql.ref(column)}`)
}

/**
 * Joins to each row before it the rows of a table that a query chooses, with a limit of its own. PostgreSQL
 * would run a query in `ON` for every pair of rows.
 * @param chosen selects the keys, each once
 */
export function joinChosen(
  table: string,
  alias: string,
  chosen: RawBuilder<unknown>,
  key: string = numberColumn,
): RawBuilder<unknown> {
  return worded(joinBy(table, alias, key, chosen), () => postgres.joinChosen(table, alias, key, chosen))
}

/** The same with the number of the row as its only column. */
export function joinNumbers(table: string, alias: string, chosen: RawBuilder<unknown>): RawBuilder<unknown> {
  return worded(joinBy(table, alias, numberColumn, chosen), () => postgres.joinNumbers(alias, chosen))
}

/**
 * Joins to each row before it the row of a table that has a key, one look-up for each. PostgreSQL may expect
 * so many rows that it reads the whole table instead.
 */
export function joinByKey(
  table: string,
  alias: string,
  key: RawBuilder<unknown>,
  column: string = numberColumn,
): RawBuilder<unknown> {
  const own = sql.ref(`${alias}.${column}`)
  return worded(sql`CROSS JOIN ${sql.table(table)} ${sql.ref(alias)} ON ${own} = ${key}`, () =>
    postgres.joinByKey(table, alias, key, column),
  )
}

const joinBy = (table: string, alias: string, key: string, chosen: RawBuilder<unknown>) =>
  sql`CROSS JOIN ${sql.table(table)} ${sql.ref(alias)} ON ${sql.ref(`${alias}.${key}`)} IN (${chosen})`

/**
 * A query of the rows with the value of another column, which may be null as well. PostgreSQL uses no index
 * for `IS NOT DISTINCT FROM`, so it gets a query for each case, of which one is empty.
 * @param select makes the query for a condition. Its order begins with `first`, as PostgreSQL sorts a column
 *   that is null by index only if it is named.
 */
export function sameOrNull(
  column: string,
  value: string,
  select: (condition: RawBuilder<unknown>, first: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [own, other] = [sql.ref(column), sql.ref(value)]
  const first = sql`${own} DESC,`
  return worded(select(sql`${own} IS NOT DISTINCT FROM ${other}`, sql``), () =>
    postgres.sameOrNull(
      select(sql`${own} = ${other}`, first),
      select(sql`${own} IS NULL AND ${other} IS NULL`, first),
    ),
  )
}

/** Ends a query for rows to change: it passes those that another program changes. SQLite has one writer. */
export const passingLocked: RawBuilder<unknown> = worded(sql``, () => sql`FOR UPDATE SKIP LOCKED`)

/** An inner join (to be followed by `ON`) that keeps the order of its tables. */
export const thenJoin: RawBuilder<unknown> = worded(sql`CROSS JOIN`, () => sql`JOIN`)

/**
 * Prevents replanning. SQLite plans again at each run that binds a LIMIT, which costs more than most queries;
 * with a sum it does not know the value. Plans are then those of an unknown limit, which is also what tests
 * check.
 */
export function hideLimitValue(text: string): string {
  return text.replace(/\b(limit|offset) \?/giu, '$1 0 + ?')
}
