import { parentPort, workerData } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { isDamage } from './damage.js'

/** What is told of one table: a page in a hundred places is no news a hundred times. */
const maxProblems = 5

// Table by table, so that no read transaction keeps the log from being copied for long.
const connection = new BetterSqlite(workerData, { readonly: true, fileMustExist: true })
const problems: string[] = []
for (const table of tables()) problems.push(...problemsOf(table))
connection.close()
parentPort?.postMessage(problems)

function tables(): string[] {
  try {
    return connection
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all()
  } catch (error) {
    if (isDamage(error)) return ['sqlite_schema']
    throw error
  }
}

function problemsOf(table: string): string[] {
  try {
    const told = connection.pragma(`quick_check('${table}')`) as { quick_check: string }[]
    const found = told.map(row => row.quick_check).filter(line => line !== 'ok')
    return found
      .slice(0, maxProblems)
      .map(line => `${table}: ${line.replace(/^\*\*\* in database main \*\*\*\n/u, '')}`)
  } catch (error) {
    if (isDamage(error)) return [`${table}: ${(error as Error).message}`]
    throw error
  }
}
