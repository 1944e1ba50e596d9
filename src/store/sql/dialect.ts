import { type RawBuilder, type SqlBool, sql } from 'kysely'

/*
 * Words that SQLite has alone or in its own way, as fragments of statements; `connection.ts` has those that no
 * statement holds. Another database takes other files in place of these two, and migrations of its own. All other SQL
 * is plain: SQLite (from 3.43) and PostgreSQL (from 16) read it alike, `octet_length`, `substr`, row values,
 * `IS NOT DISTINCT FROM`, `ON CONFLICT (...)`, `RETURNING` and window functions among it.
 */

/** The values of a list, for `IN`: one parameter for any number of them, so that the statement stays prepared. */
export function listOf(values: readonly string[]): RawBuilder<unknown> {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`
}

/** Pairs of a text and a number, for `(column, column) IN`: one parameter for any number of them. */
export function pairsOf(pairs: readonly (readonly [string, number])[]): RawBuilder<unknown> {
  return sql`(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(${JSON.stringify(pairs)}))`
}

/** Triples as rows to select from, `a`, `b` and `c`: one parameter for any number of them. */
export function triplesOf(
  triples: readonly (readonly [string, number | string, string])[],
): RawBuilder<unknown> {
  return sql`(SELECT json_extract(value, '$[0]') AS a, json_extract(value, '$[1]') AS b,
    json_extract(value, '$[2]') AS c FROM json_each(${JSON.stringify(triples)}))`
}

/**
 * The values of a list as rows to select from: one column, `value`.
 * @param values or their list as the text of JSON, where it comes later
 * @param alias of the rows
 */
export function rowsOf(values: readonly string[] | RawBuilder<unknown>, alias: string): RawBuilder<unknown> {
  const json = 'compile' in values ? values : sql`${JSON.stringify(values)}`
  return sql`json_each(${json}) ${sql.ref(alias)}`
}

/**
 * The values of a list in a column of JSON as rows to select from: one column, `value`.
 * @param path to the list: names of members, outermost first.
 */
export function jsonListOf(column: string, path: readonly string[]): RawBuilder<unknown> {
  return sql`json_each(${sql.ref(column)}, ${sql.lit(`$.${path.join('.')}`)})`
}

/** The members of an object in a column of JSON as rows to select from: two columns, `key` and `value`. */
export function jsonMembersOf(column: string, alias: string): RawBuilder<unknown> {
  return jsonMembersIn(sql.ref(column), alias)
}

/** The same of a text of JSON. */
export function jsonMembersIn(json: RawBuilder<unknown>, alias: string): RawBuilder<unknown> {
  return sql`json_each(${json}) ${sql.ref(alias)}`
}

/**
 * The text of an object of JSON with some members, in their order. Texts in it are escaped as JavaScript does, and whole
 * numbers and nulls written so; fractions are not.
 */
export function jsonObjectOf(
  members: readonly (readonly [name: string, value: RawBuilder<unknown>])[],
): RawBuilder<string> {
  return sql`json_object(${sql.join(members.flatMap(([name, value]) => [sql.lit(name), value]))})`
}

/**
 * Whether a number from 0 to 1 is one that `jsonNumberOf` writes as JavaScript does: one of at most four digits behind the
 * point.
 */
export function isShortNumber(column: string): RawBuilder<SqlBool> {
  const number = sql.ref(column)
  return sql`(${number} BETWEEN 0 AND 1 AND round(${number}, 4) = ${number})`
}

/** Such a number, for JSON: whole ones without a point. */
export function jsonNumberOf(column: string): RawBuilder<number> {
  const number = sql.ref(column)
  const whole = sql`CAST(${number} AS INTEGER)`
  return sql`CASE WHEN ${number} = ${whole} THEN ${whole} ELSE ${number} END`
}

/** A text as JSON, in the same way. */
export function jsonTextOf(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql`json_quote(${text})`
}

/** Whether a list in a column of JSON has a text. @param path as above. */
export function jsonListHas(column: string, path: readonly string[], text: string): RawBuilder<SqlBool> {
  return sql`EXISTS (SELECT 1 FROM ${jsonListOf(column, path)} WHERE value = ${text})`
}

/**
 * A text of as many bytes as one has, without a word of it: written over it, a row stays where it is. Deleting it at once
 * may move those beside it, and copies of these stay behind.
 */
export function blanksFor(column: string): RawBuilder<string> {
  const bytes = sql`octet_length(${sql.ref(column)})`
  return sql`CASE WHEN ${bytes} = 0 THEN '' ELSE printf('%.*c', ${bytes}, 'x') END`
}

/** Whether a text has another inside it, in the same case. */
export function contains(text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> {
  return sql`instr(${text}, ${part}) > 0`
}

/** Days since the ISO time of a column, with a fraction; 0 for what is yet to come. */
export function daysSince(column: string, now: string): RawBuilder<number> {
  return sql`MAX(0, julianday(${now}) - julianday(${sql.ref(column)}))`
}

/** A condition as the value of a column: 1, or 0. SQLite alone takes conditions for numbers. */
export function flag(condition: RawBuilder<unknown>): RawBuilder<0 | 1> {
  return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`
}

/**
 * The number that a row has in its table: a later row has a greater one. Every index holds it, so that rows can be
 * chosen without being read. Elsewhere a column of identities has to be kept, and be part of the indexes.
 * @param table or its alias.
 */
export function rowNumber(table: string): RawBuilder<number> {
  return sql.ref(`${table}.rowid`)
}

/** A table to select from by one of its indexes; without statistics SQLite would choose another at times. */
export function byIndex(table: string, index: string): RawBuilder<unknown> {
  return sql`${sql.table(table)} INDEXED BY ${sql.ref(index)}`
}

/** A column by which no index is entered or walked: without statistics SQLite would take that one at times. */
export function unindexed<Value>(column: string): RawBuilder<Value> {
  return sql`+${sql.ref(column)}`
}

/** Joins what follows with `ON`, and reads what stands before first: an inner join that keeps its order. */
export const thenJoin: RawBuilder<unknown> = sql`CROSS JOIN`

/**
 * A statement that is planned once. SQLite looks at the value that is bound to a LIMIT when it plans, and plans anew at every
 * run that binds one, which takes several times as long as most queries; of a sum it knows no value. The plans are those of
 * an unknown limit, which is what they are tested with.
 */
export function plannedOnce(text: string): string {
  return text.replace(/\b(limit|offset) \?/giu, '$1 0 + ?')
}
