import { parentPort, workerData } from 'node:worker_threads'
import { catalogue, prepareToReadOnce, problemsIn, tableNames } from '../connection/connection.js'
import { isDamage } from '../connection/damage.js'
import BetterSqlite from '../connection/driver.js'

/** What is told of one table: a page in a hundred places is no news a hundred times. */
const maxProblems = 5

// Table by table, so that no read transaction keeps the log from being copied for long.
const connection = new BetterSqlite(workerData, { readonly: true, fileMustExist: true })
prepareToReadOnce(connection)
const problems: string[] = []
for (const table of tables()) problems.push(...problemsOf(table))
connection.close()
parentPort?.postMessage(problems)

function tables(): string[] {
  try {
    return tableNames(connection)
  } catch (error) {
    if (isDamage(error)) return [catalogue]
    throw error
  }
}

function problemsOf(table: string): string[] {
  try {
    return problemsIn(connection, table)
      .slice(0, maxProblems)
      .map(line => `${table}: ${line}`)
  } catch (error) {
    if (isDamage(error)) return [`${table}: ${(error as Error).message}`]
    throw error
  }
}
