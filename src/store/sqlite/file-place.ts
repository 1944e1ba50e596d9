import { type Stats, statSync } from 'node:fs'

/** What SQLite calls it where it notices by itself, which it does with no write-ahead log alone. */
const code = 'SQLITE_READONLY_DBMOVED'

/**
 * Whether an open database is still the file that its path names. SQLite goes on writing one that was removed or moved
 * away: what it takes then is acknowledged, and gone with the process.
 *
 * @param file that is open, now.
 * @returns a check that takes some microseconds; it throws an Error with the code `SQLITE_READONLY_DBMOVED` where another
 *   file, or none, is at the path.
 */
export function watchPlace(file: string): () => void {
  const opened = placed(file)
  return () => {
    const found = placed(file)
    if (found?.ino === opened?.ino && found?.dev === opened?.dev) return
    throw Object.assign(new Error(`${file} is not the file that was opened`), { code })
  }
}

function placed(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false })
}
