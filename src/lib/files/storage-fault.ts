export const databaseGone = 'the database file was removed or moved away'

const serverFull = 'the disk of the database server is full'
const serverReadOnly = 'the database server accepts no changes'

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['SQLITE_FULL', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'a file may not grow any further'],
  ['EROFS', 'the file system is read-only'],
  ['SQLITE_READONLY', 'the database is read-only'],
  ['SQLITE_READONLY_DBMOVED', databaseGone],
  ['SQLITE_IOERR_WRITE', 'the disk refuses writes'],
  ['SQLITE_IOERR_FSYNC', 'the disk refuses writes'],
  ['SQLITE_IOERR_DIR_FSYNC', 'the disk refuses writes'],
  ['SQLITE_IOERR_TRUNCATE', 'the disk refuses writes'],
  ['SQLITE_IOERR_SHMOPEN', 'the disk refuses writes'],
  ['SQLITE_IOERR_SHMSIZE', 'the disk refuses writes'],
  // PostgreSQL's codes.
  ['53100', serverFull],
  ['25006', serverReadOnly],
])
/** Depth to which `cause` is followed; our own errors never nest deeper. */
const maxCauses = 5

/** Returns the reason of a failed write if the disk is the cause, else undefined. */
export function storageFault(error: unknown): string | undefined {
  for (let depth = 0; depth < maxCauses && error instanceof Error; depth++, error = error.cause) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === undefined ? undefined : reasons.get(code)
    if (reason) return reason
  }
  return undefined
}

/** Returns the advice for a storage fault. */
export function remedyOf(fault: string): string {
  if (fault === serverFull) return 'free space on that server and try again'
  if (fault === serverReadOnly) return 'it may be a copy of another server: check storage.postgres'
  return fault === databaseGone
    ? 'move it back, or save the data of the running daemon with memory export before you restart it'
    : 'free disk space on the volume of the workspace and try again'
}
