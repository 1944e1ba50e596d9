import type { ExecutionContext } from 'ava'
import pg from 'pg'
import { fewValues, small } from './query-plans.js'

/** A statement with the values of its first run. */
export interface NotedQuery {
  text: string
  values: readonly unknown[]
  /** Its connection plans for any values, whatever that costs. */
  isPlannedOnce: boolean
}

/** Records every statement of the store that this process sends to a server, until the test ends. */
export function noteQueries(t: ExecutionContext): ReadonlyMap<string, NotedQuery> {
  const noted = new Map<string, NotedQuery>()
  const plansOnce = new WeakMap<pg.Client, boolean>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const mode = /^SET plan_cache_mode TO (\w+)$/u.exec(String(given[0]))?.[1]
    if (mode) plansOnce.set(this, mode === 'force_generic_plan')
    const { rowMode, text, values = [] } = given[0] as Partial<pg.QueryArrayConfig>
    if (
      rowMode !== undefined &&
      text !== undefined &&
      /^\W*(?:select|with|insert|update|delete)\b/iu.test(text)
    ) {
      // Inserts of many rows are one statement, and so are lists of the builder.
      const plain = text.trim().replace(/\s+/gu, ' ').replace(/\$\d+/gu, '?')
      const shape = plain.replace(/\?(?:, \?)+/gu, '?, ?')
      const alike = shape.replace(/(?:\(\?, \?\), )+/gu, '')
      const isPlannedOnce = plansOnce.get(this) === true
      if (!noted.has(alike)) noted.set(alike, { text, values, isPlannedOnce })
    }
    return Reflect.apply(query, this, given)
  } as typeof query
  t.teardown(() => {
    pg.Client.prototype.query = query
  })
  return noted
}

interface Column {
  name: string
  type: string
  /** Part of the primary key or of a unique index. */
  isKey: boolean
  isIndexed: boolean
  most: number
}

/** Values of a team: nobody has most of the rows. */
const spreadOver: Readonly<Record<string, number>> = { agent_id: 50, to_agent_id: 50, project: 50, who: 50 }

/** Rows of a table after the fill: as many memories as a team has, and fewer of all else. */
const rowsOf = (table: string): number => (/^memor/u.test(table) ? 100_000 : 10_000)

/**
 * Copies the rows of each table until it is large. Keys, and values of which there are many, get an ending
 * of their own, the same in all tables.
 */
export async function fillTables(client: pg.Client): Promise<void> {
  // Neither triggers nor references.
  await client.query('SET session_replication_role = replica')
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  )
  for (const { name } of rows) if (!small.has(name)) await fill(client, name)
  // A server in use vacuums by itself, and only then an index alone can answer.
  await client.query('VACUUM ANALYZE')
}

async function fill(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`)
  const copies = Math.floor(rowsOf(table) / Number(rows[0]?.count))
  if (!Number.isFinite(copies)) return
  const columns = await columnsOf(client, table)
  const values = columns.map(column => copiedValue(column, columns))
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  await client.query(`INSERT INTO ${table} (${names}) SELECT ${values.join(', ')}
    FROM ${table} AS r CROSS JOIN generate_series(1, ${copies}) AS n ON CONFLICT DO NOTHING`)
}

async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
      COALESCE(bool_or(i.indisunique), FALSE) AS "isKey", count(i.indexrelid) > 0 AS "isIndexed"
    FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)
    WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'rowid'
    GROUP BY a.attnum, a.attname, a.atttypid ORDER BY a.attnum`,
    [table],
  )
  const counted = rows.filter(({ type }) => type === 'bigint')
  const mosts = counted.map(({ name }) => `COALESCE(max("${name}"), 0)::float8 AS "${name}"`)
  const { rows: most } = await client.query<Record<string, number>>(
    `SELECT ${['1', ...mosts].join(', ')} FROM ${table}`,
  )
  return rows.map(row => ({ ...row, most: most[0]?.[row.name] ?? 0 }))
}

/** The value of a copy: `r` is the row, `n` the number of the copy. */
function copiedValue({ name, type, isKey, isIndexed, most }: Column, columns: readonly Column[]): string {
  const own = `r."${name}"`
  const isOnlyKey = isKey && columns.every(one => !one.isKey || one.name === name || one.name in fewValues)
  const spread = spreadOver[name]
  if (spread) return `CASE n % ${spread} WHEN 0 THEN ${own} ELSE ${own} || '~' || n % ${spread} END`
  if (!isIndexed || (name in fewValues && !isOnlyKey)) return own
  if (type === 'text') return `CASE ${own} WHEN '' THEN '' ELSE ${own} || '~' || n END`
  if (type === 'bytea') return `${own} || n::text::bytea`
  // A flag stays one.
  return most > 1 ? `${own} + n * ${most + 1}` : own
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Plan Rows': number
  'Total Cost': number
  Plans?: Plan[]
}

/** More rows of a table may not be read from its beginning. */
const mostRows = 1000
/** The cost that the server counts for planning a statement, and for each of its tables. */
const planningCost = 2.5

/** Returns the tables of which a statement reads many rows from the beginning, as the server runs it. */
export async function scannedBy(client: pg.Client, query: NotedQuery): Promise<string[]> {
  const sizes = await sizesIn(client)
  return [...new Set(scansIn(await chosenPlan(client, query), sizes))]
}

/**
 * After a few runs the server plans no more, if the plan for unknown values costs less than one for values
 * with its planning.
 */
async function chosenPlan(client: pg.Client, { text, values, isPlannedOnce }: NotedQuery): Promise<Plan> {
  const own = await planOf(client, text, values)
  await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE planned AS ${text}`)
  try {
    const unknown = values.map(() => 'NULL').join(', ')
    const general = await planOf(client, `EXECUTE planned${unknown && `(${unknown})`}`)
    const planned = own['Total Cost'] + planningCost * (tablesIn(own) + 1)
    return isPlannedOnce || general['Total Cost'] < planned ? general : own
  } finally {
    await client.query('DEALLOCATE planned')
  }
}

async function planOf(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<Plan> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
    text: `EXPLAIN (FORMAT JSON) ${text}`,
    values: [...values],
  })
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (!plan) throw new Error(`no plan of ${text}`)
  return plan
}

async function sizesIn(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; size: number }>(
    `SELECT relname AS name, reltuples::float8 AS size FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  )
  return new Map(rows.map(({ name, size }) => [name, size]))
}

function tablesIn({ 'Relation Name': table, Plans: parts = [] }: Plan): number {
  return parts.reduce((sum, part) => sum + tablesIn(part), table ? 1 : 0)
}

/** @param share of the rows that are asked for: fewer than all under a limit */
function scansIn(plan: Plan, sizes: ReadonlyMap<string, number>, share = 1): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Plan Rows': rows, Plans: parts = [] } = plan
  const read = (sizes.get(table) ?? 0) * share
  const own = type === 'Seq Scan' && read > mostRows ? [table] : []
  const asked = (part: Plan): number => (type === 'Limit' ? Math.min(1, rows / part['Plan Rows']) : 1)
  return [...own, ...parts.flatMap(part => scansIn(part, sizes, asked(part)))]
}
