import type { ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'

/** A statement with the parameters of its first run. */
export interface RunStatement {
  text: string
  parameters: readonly unknown[]
}

/** Records every prepared statement that this process runs, until the test ends. */
export function noteStatements(t: ExecutionContext): ReadonlyMap<string, RunStatement> {
  const noted = new Map<string, RunStatement>()
  const prepare = BetterSqlite.prototype.prepare
  BetterSqlite.prototype.prepare = function (this: Database, text: string) {
    const statement = prepare.call(this, text)
    for (const method of ['all', 'run', 'get', 'iterate'] as const) {
      const original = statement[method] as (...given: unknown[]) => unknown
      const noting = function (this: unknown, ...given: unknown[]): unknown {
        const parameters = Array.isArray(given[0]) ? given[0] : given
        const shape = text
          .replace(/\s+/gu, ' ')
          .replace(/\?(?:, \?)+/gu, '?, ?')
          .replaceAll(' 0 + ?', ' ?')
        if (!noted.has(shape)) noted.set(shape, { text, parameters })
        return original.apply(this, given)
      }
      Object.assign(statement, { [method]: noting })
    }
    return statement
  } as typeof prepare
  t.teardown(() => {
    BetterSqlite.prototype.prepare = prepare
  })
  return noted
}

/** SQLite reads bound limits and offsets when it plans, so the plan depends on their values. */
export function plannedByValue(text: string): boolean {
  return /\b(?:limit|offset) \?/iu.test(text)
}

/** Assumed number of rows in each table. */
const rows = 100_000
/** Number of distinct values in columns with few; every other column counts as unique. */
export const fewValues: Readonly<Record<string, number>> = {
  is_deleted: 2,
  visibility: 2,
  pinned: 2,
  agent_id: 3,
  to_agent_id: 3,
  scope: 2,
  status: 3,
  safety_status: 2,
  safety_policy: 1,
  type: 5,
  who: 10,
  project: 50,
  kind: 3,
  provider: 1,
  model: 1,
  active: 2,
}
/** Tables with tens of rows, or 2,000 at most for tasks. */
export const small = new Set([
  // Rows of about a second, until they are aggregated.
  'memory_access_log',
  'agents',
  'api_keys',
  'connectors',
  'inference_usage',
  'meta',
  'migrations',
  'scheduled_tasks',
  'sources',
  'source_index_jobs',
])

/** Partial indexes whose condition always matches few rows. */
const ofFewRows =
  /INDEX (?:compactions_open|transcript_captures_(?:open|written|stale)|task_runs_(?:open|pending)|memories_(?:summaries|pinned|outdated|archived|shared)|sessions_(?:claims|open|bypassed)|sync_(?:segments_unsent|purged_untold))\b/u

/** Number of rows above which a step is too wide. */
const wideRows = 5000

/**
 * Steps of a statement's plan that read a share of a large table. Two kinds are harmless. One kind ends with
 * the limit, in the requested order, where the index alone decides which rows match. The other enters a
 * covering index by a condition: lists and counts are made so.
 */
export function wideSteps(database: Database, { text, parameters }: RunStatement): string[] {
  if (!/^\s*(?:select|insert|replace|update|delete|with)/iu.test(text)) return []
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters) as { detail: string }[]
  const details = plan.map(({ detail }) => detail)
  const endsWithLimit = /\blimit\b/iu.test(text) && !details.includes('USE TEMP B-TREE FOR ORDER BY')
  const tables = tablesOf(database)
  const named = (alias: string): string => tables.get(alias) ?? tables.get(aliased(text, alias)) ?? ''
  return details.filter(detail => {
    const [, step, alias = '', how = ''] = /^(SCAN|SEARCH) (\w+)(.*)$/u.exec(detail) ?? []
    if (!step || !named(alias) || small.has(named(alias)) || ofFewRows.test(how)) return false
    if (endsWithLimit && isDecidedBy(database, how, text)) return false
    return step === 'SCAN' || (!how.includes('COVERING') && rowsMet(how) > wideRows)
  })
}

/** True when the index alone decides which rows match, so that no row is read and skipped. */
function isDecidedBy(database: Database, how: string, text: string): boolean {
  const index = /INDEX (\w+)/u.exec(how)?.[1] ?? ''
  const made = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(index)
  // Columns of the index lookup, and those of the index's own condition.
  const decided = new Set([how, String(made ?? '').split(/\bwhere\b/iu)[1] ?? ''].flatMap(comparedIn))
  const conditions = text
    .split(/\bwhere\b/iu)
    .slice(1)
    .join(' ')
  return comparedIn(conditions).every(column => decided.has(column))
}

/** Compared columns, except `IN` with a subquery. */
function comparedIn(conditions: string): string[] {
  const found = conditions.matchAll(
    /"?(\w+)"?\)?\s*(?:[=<>!]+|\b(?:is|like|between)\b|\bin \((?!\s*select))/giu,
  )
  return [...found].map(([, column = '']) => column)
}

/** Number of rows that match the conditions of an index lookup. */
function rowsMet(how: string): number {
  const conditions = (/\((.*)\)$/u.exec(how)?.[1] ?? '').split(' AND ')
  const columns = conditions.map(condition => condition.replace(/[=<>].*$/u, ''))
  return columns.reduce((left, column) => left / (fewValues[column] ?? rows), rows)
}

function tablesOf(database: Database): Map<string, string> {
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
    name: string
  }[]
  return new Map(found.map(({ name }) => [name, name]))
}

/** Resolves a table alias of a statement. */
function aliased(text: string, alias: string): string {
  return new RegExp(`"?(\\w+)"?\\s+(?:as\\s+)?"?${alias}"?(?!\\w)`, 'iu').exec(text)?.[1] ?? ''
}
