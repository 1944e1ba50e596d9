import { isDamage } from '../faults.js'
import { migrations, schemaRefusal } from '../migrations/migrate.js'
import { lastUnreleased } from '../migrations/unreleased.js'
import {
  beginSnapshot,
  countRows,
  makeOneFile,
  problemsIn,
  schemaOf,
  tableNames,
} from './connection/connection.js'
import BetterSqlite from './connection/driver.js'
import { openReader } from './database.js'

/** The result of inspecting a database that no other process has open. */
export interface DatabaseInspection {
  /** Problems, one per line; empty when the database is intact. */
  problems: string[]
  /** Number of applied migrations. */
  schema: number
  /** Memories that are not forgotten; null when they can't be counted. */
  memories: number | null
  /** Row counts of the readable tables. */
  tables: Record<string, number>
}

/** Limit per table; a damaged page would be reported for each of its rows. */
const maxProblems = 5

/** An archive with a larger schema cannot be restored by this program. */
export const largestSchema = Math.max(migrations.length, lastUnreleased)

/** Opens a database, checks its pages and counts rows. Blocks its process while it reads. */
export async function inspectDatabase(file: string): Promise<DatabaseInspection> {
  const found: DatabaseInspection = { problems: [], schema: 0, memories: null, tables: {} }
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
      refusal = found.schema === 0 ? 'it is not a memory-service database' : schemaRefusal(connection)
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

async function countMemories(file: string, found: DatabaseInspection): Promise<void> {
  const reader = openReader(file)
  try {
    found.memories = await reader.tables.memories.countAlive()
  } finally {
    await reader.close()
  }
}

/** Pages copied between two progress reports: 8 MiB. */
const pagesAtATime = 2048

interface DatabaseCopy {
  /** The database, which a daemon may be writing to. */
  from: string
  /** Path of the copy, which must not exist. */
  to: string
  /** Progress in pages. */
  onProgress(done: number, total: number): void
}

/**
 * Copies a consistent snapshot of a database with SQLite's online backup, while others write to it. Run it in
 * a process of its own, as it blocks on the disk. @throws Error of SQLite.
 */
export async function copyDatabase({ from, to, onProgress }: DatabaseCopy): Promise<void> {
  const source = new BetterSqlite(from, { readonly: true, fileMustExist: true, timeout: 30_000 })
  try {
    // Without a read transaction each commit of another process would restart the copy.
    beginSnapshot(source)
    await source
      .backup(to, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress(totalPages - remainingPages, totalPages)
          return pagesAtATime
        },
      })
      .catch(asWriteError)
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

/** An I/O error does not name its file; the source is read all the time, so the copy is the likely one. */
function asWriteError(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'SQLITE_IOERR') throw error
  throw Object.assign(new Error('the copy could not be written', { cause: error }), {
    code: 'SQLITE_IOERR_WRITE',
  })
}
