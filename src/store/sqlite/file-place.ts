import { type Stats, statSync } from 'node:fs'

/** SQLite's own code for this case, which it detects only without a write-ahead log. */
const code = 'SQLITE_READONLY_DBMOVED'

/**
 * Watches whether an open database is still the file at its path. SQLite goes on writing to a removed or
 * moved file, so acknowledged writes would be lost with the process.
 * @param file the database, which must be open.
 * @returns a check that takes some microseconds and throws an Error with the code `SQLITE_READONLY_DBMOVED`
 * when another file, or none, is at the path.
 */
export function watchPlace(file: string): () => void {
  const opened = fileStats(file)
  return () => {
    const found = fileStats(file)
    if (found?.ino === opened?.ino && found?.dev === opened?.dev) return
    throw Object.assign(new Error(`${file} is not the file that was opened`), { code })
  }
}

function fileStats(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false })
}
