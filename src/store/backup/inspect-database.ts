import { migrations } from '../migrations/migrate.js'
import { countRows, problemsIn, schemaOf, tableNames } from '../sqlite/connection/connection.js'
import { isDamage } from '../sqlite/connection/damage.js'
import BetterSqlite from '../sqlite/connection/driver.js'
import { openReader } from '../sqlite/database.js'

/** What a database holds that nobody else has open. */
export interface Inspected {
  /** What is wrong with it, a line each; none when all is well. */
  problems: string[]
  /** Migrations that were applied. */
  schema: number
  /** Memories that are not forgotten; null where that can't be read. */
  memories: number | null
  /** Rows of each table that can be read. */
  tables: Record<string, number>
}

/** Of one table; a page in a hundred places is no news a hundred times. */
const maxProblems = 5

/** What this program knows. */
export const knownSchema = migrations.length

/** Opens a database, checks that its pages make sense, and counts. Holds its process for as long as reading it takes. */
export async function inspectDatabase(file: string): Promise<Inspected> {
  const found: Inspected = { problems: [], schema: 0, memories: null, tables: {} }
  const guarded = async (what: string, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!isDamage(error)) throw error
      found.problems.push(`${what}: ${(error as Error).message}`)
    }
  }
  const connection = new BetterSqlite(file, { readonly: true, fileMustExist: true })
  try {
    await guarded('the database', () => {
      found.schema = schemaOf(connection)
    })
    if (found.problems.length > 0) return found
    for (const table of tableNames(connection))
      await guarded(table, () => {
        const problems = problemsIn(connection, table).slice(0, maxProblems)
        found.problems.push(...problems.map(line => `${table}: ${line}`))
        found.tables[table] = countRows(connection, table)
      })
  } finally {
    connection.close()
  }
  if (found.schema === 0) found.problems.push('it is no database of memory-service')
  else if (found.schema <= knownSchema) await guarded('memories', () => countMemories(file, found))
  return found
}

async function countMemories(file: string, found: Inspected): Promise<void> {
  const reader = openReader(file)
  try {
    found.memories = await reader.tables.memories.countAlive()
  } finally {
    await reader.close()
  }
}
