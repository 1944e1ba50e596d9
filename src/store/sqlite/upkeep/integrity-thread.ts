import { parentPort, workerData } from 'node:worker_threads'
import { isDamage } from '../../faults.js'
import { catalogue, prepareToReadOnce, problemsIn, tableNames } from '../connection/connection.js'
import BetterSqlite from '../connection/driver.js'

/** Limit per table; a damaged page would be reported for each of its rows. */
const maxProblems = 5

// Checks one table at a time, so that no long read transaction delays copying the log.
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
