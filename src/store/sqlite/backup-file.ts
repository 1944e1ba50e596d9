import { migrations, schemaRefusal } from '../migrations/migrate.js'
import { lastUnreleased } from '../migrations/unreleased.js'
import {
  countRows,
  holdView,
  makeOneFile,
  problemsIn,
  schemaOf,
  tableNames,
} from './connection/connection.js'
import { isDamage } from './connection/damage.js'
import BetterSqlite from './connection/driver.js'
import { openReader } from './database.js'

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

/** No archive that this program can restore has a larger schema. */
export const largestSchema = Math.max(migrations.length, lastUnreleased)

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
  let refusal: string | undefined
  try {
    await guarded('the database', () => {
      found.schema = schemaOf(connection)
      refusal = found.schema === 0 ? 'it is no database of memory-service' : schemaRefusal(connection)
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
  if (refusal) found.problems.push(refusal)
  else await guarded('memories', () => countMemories(file, found))
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

/** Pages that are copied between two reports: 8 MiB. */
const pagesAtATime = 2048

interface DatabaseCopy {
  /** The database that a daemon may be writing. */
  from: string
  /** A file that is not there yet. */
  to: string
  /** Told in pages. */
  onProgress(done: number, total: number): void
}

/**
 * Copies a database by SQLite's online backup, as it is at one moment: whoever writes it goes on meanwhile, since what is
 * read is held. For a process of its own: a step reads and writes the disk. @throws Error of SQLite.
 */
export async function copyDatabase({ from, to, onProgress }: DatabaseCopy): Promise<void> {
  const source = new BetterSqlite(from, { readonly: true, fileMustExist: true, timeout: 30_000 })
  try {
    // Without it every commit of another process would begin the copy anew.
    holdView(source)
    await source
      .backup(to, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress(totalPages - remainingPages, totalPages)
          return pagesAtATime
        },
      })
      .catch(refuse)
  } finally {
    source.close()
  }
  const copy = new BetterSqlite(to, { fileMustExist: true })
  try {
    makeOneFile(copy)
  } finally {
    copy.close()
  }
}

/** A copy tells neither which file nor why: it reads what others read all day, so it is the one that is written. */
function refuse(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'SQLITE_IOERR') throw error
  throw Object.assign(new Error('the copy could not be written', { cause: error }), {
    code: 'SQLITE_IOERR_WRITE',
  })
}
