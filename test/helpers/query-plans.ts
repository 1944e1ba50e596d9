import type { ExecutionContext } from 'ava'
import type { Database } from 'better-sqlite3'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'

/** A statement as it was run first. */
export interface RunStatement {
  text: string
  parameters: readonly unknown[]
}

/** Notes every statement that this process runs by a prepared one, until the test ends. */
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

/** Values that are bound where SQLite looks at them when it plans, and so plans anew whenever they are. */
export function plannedByValue(text: string): boolean {
  return /\b(?:limit|offset) \?/iu.test(text)
}

/** Rows that each table is taken to have. */
const rows = 100_000
/** Values of columns that tell few rows apart; every other column tells each row from the others. */
const fewValues: Readonly<Record<string, number>> = {
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
/** Tables that hold tens of rows, of tasks 2,000 at most. */
const small = new Set([
  // Rows of about a second each, until they are gathered.
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

/** Indexes on rows of which there are few at any time, by their own condition. */
const ofFewRows =
  /INDEX (?:compactions_open|transcript_captures_(?:open|written|stale)|task_runs_(?:open|pending)|memories_(?:summaries|pinned|outdated|archived|shared)|sessions_(?:claims|open|bypassed))\b/u

/** More rows than a step may look at. */
const wideRows = 5000

/**
 * Steps of a statement's plan that look at a share of a large table. Two kinds of them do no harm: walks that end with
 * the limit, in the order that is wanted and where nothing but the index decides which rows count, and walks of an index
 * that holds all that is asked for when it is entered by a condition: that is how lists and counts are made.
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

/** Whether the index of a step says by itself which rows count: no row is walked past in search of one that does. */
function isDecidedBy(database: Database, how: string, text: string): boolean {
  const index = /INDEX (\w+)/u.exec(how)?.[1] ?? ''
  const made = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(index)
  // Columns by which it is entered, and those of its own condition.
  const decided = new Set([how, String(made ?? '').split(/\bwhere\b/iu)[1] ?? ''].flatMap(comparedIn))
  const conditions = text
    .split(/\bwhere\b/iu)
    .slice(1)
    .join(' ')
  return comparedIn(conditions).every(column => decided.has(column))
}

/** Columns that are compared with something; a list of ids of a part of the statement is none. */
function comparedIn(conditions: string): string[] {
  const found = conditions.matchAll(
    /"?(\w+)"?\)?\s*(?:[=<>!]+|\b(?:is|like|between)\b|\bin \((?!\s*select))/giu,
  )
  return [...found].map(([, column = '']) => column)
}

/** How many rows meet the conditions by which an index is entered. */
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

/** The table that a statement calls by another name. */
function aliased(text: string, alias: string): string {
  return new RegExp(`"?(\\w+)"?\\s+(?:as\\s+)?"?${alias}"?(?!\\w)`, 'iu').exec(text)?.[1] ?? ''
}
