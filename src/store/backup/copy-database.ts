import { holdView, makeOneFile } from '../sqlite/connection/connection.js'
import BetterSqlite from '../sqlite/connection/driver.js'

/** Pages that are copied between two reports: 8 MiB. */
const pagesAtATime = 2048

export interface DatabaseCopy {
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
