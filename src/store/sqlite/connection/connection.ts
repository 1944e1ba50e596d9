import type { Database as Connection } from 'better-sqlite3'

// Pragmas and other SQLite functions beyond ordinary statements.

/**
 * A save changes a few bytes in some fifteen pages, and the log stores whole pages; pages smaller than the
 * default 4096 bytes halve its size.
 */
const pageBytes = 2048

/**
 * Sets small pages and incremental vacuum on an empty file. Existing files are not touched, because repeating
 * the pragma would write, which fails on a full disk.
 */
export function prepareNew(connection: Connection): void {
  if (connection.pragma('page_count', { simple: true }) !== 0) return
  connection.pragma(`page_size = ${pageBytes}`)
  askToShrink(connection)
}

function askToShrink(connection: Connection): void {
  connection.pragma('auto_vacuum = INCREMENTAL')
}

/** The pages of a file. */
export interface Pages {
  count: number
  /** Empty pages. */
  free: number
  bytes: number
  /** True when empty pages can be returned to the disk. */
  canShrink: boolean
}

export function pagesOf(connection: Connection): Pages {
  const ask = (name: string): number => connection.pragma(name, { simple: true }) as number
  return {
    count: ask('page_count'),
    free: ask('freelist_count'),
    bytes: ask('page_size'),
    canShrink: ask('auto_vacuum') === 2,
  }
}

/** Returns empty pages to the disk, once the log is copied. */
export function releasePages(connection: Connection, pages: number): void {
  connection.pragma(`incremental_vacuum(${pages})`)
}

/** Rewrites the whole file so that it can shrink; other connections cannot write in the meantime. */
export function convertWhole(connection: Connection): void {
  connection.pragma('busy_timeout = 5000')
  connection.pragma('temp_store = FILE')
  askToShrink(connection)
  connection.exec('VACUUM')
}

/**
 * Configures the writing connection: concurrent readers, durable commits, and deleted data is overwritten so
 * that free pages do not contain it.
 */
export function prepareToWrite(connection: Connection): void {
  connection.pragma('journal_mode = WAL')
  connection.pragma('secure_delete = ON')
  flushCheckpoints(connection)
  setDurable(connection, true)
  connection.pragma('foreign_keys = ON')
  prepareToRead(connection)
}

/**
 * Caches 4 MiB of pages: the system caches the file anyway, and SQLite scans its whole cache after most
 * commits.
 */
export function prepareToRead(connection: Connection): void {
  connection.pragma('busy_timeout = 5000')
  connection.pragma('temp_store = MEMORY')
  connection.pragma('cache_size = -4096')
}

/** For a connection that reads a whole file once: a large cache, once freed, would fragment the heap. */
export function prepareToReadOnce(connection: Connection): void {
  connection.pragma('cache_size = -256')
}

/**
 * Configures the only connection to a derived file: commits survive the process but not a power failure, and
 * deleted data is overwritten in free pages.
 */
export function prepareDerived(connection: Connection): void {
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = NORMAL')
  flushCheckpoints(connection)
  connection.pragma('secure_delete = ON')
  prepareToRead(connection)
}

/** For a file in a folder of others: runs no code of its schema, and checks each page before it is used. */
export function distrust(connection: Connection): void {
  connection.pragma('trusted_schema = OFF')
  connection.pragma('cell_size_check = ON')
}

type Pragmas = Pick<Connection, 'exec'>

/**
 * Sets whether commits wait for the disk. On macOS a plain sync leaves data in the cache of the drive, so
 * that a power cut would lose an acknowledged save; `fullfsync` empties that cache.
 */
export function setDurable(
  connection: Pragmas,
  durable: boolean,
  platform: NodeJS.Platform = process.platform,
): void {
  connection.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
  if (platform === 'darwin') connection.exec(`PRAGMA fullfsync = ${durable ? 'ON' : 'OFF'}`)
}

/**
 * Makes every copy of the log reach the disk on macOS. Its drives write in any order, so that a power cut
 * during a copy would damage the database.
 */
export function flushCheckpoints(connection: Pragmas, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'darwin') connection.exec('PRAGMA checkpoint_fullfsync = ON')
}

/**
 * Sets whether others may open the file. Call it first: an exclusive connection needs no shared memory file.
 */
export function setShared(connection: Connection, shared: boolean): void {
  connection.pragma(`locking_mode = ${shared ? 'NORMAL' : 'EXCLUSIVE'}`)
}

/** Lets others open the file again, between transactions; the locking mode can change only without a log. */
export function unlockFile(connection: Connection): void {
  connection.pragma('journal_mode = DELETE')
  setShared(connection, true)
  connection.pragma('journal_mode = WAL')
}

/**
 * Locks a file exclusively until the connection is closed, without writing, so that it works on a full disk.
 */
export function lockFile(connection: Connection): void {
  connection.pragma('journal_mode = MEMORY')
  connection.exec('BEGIN EXCLUSIVE')
}

/** Our statements are tested without statistics, so those another program created are deleted. */
export function forgetStatistics(connection: Connection): void {
  const known = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'").get()
  if (known) connection.exec('DELETE FROM sqlite_stat1; ANALYZE sqlite_schema')
}

/** Makes commits copy the log to the database from this many pages on. */
export function copyLogFrom(connection: Connection, pages: number): void {
  connection.pragma(`wal_autocheckpoint = ${pages}`)
}

/** The result of a checkpoint in pages: size of the log, and copied pages. */
export interface CheckpointResult {
  log: number
  checkpointed: number
}

/** Copies log pages that readers no longer need to the database, without blocking anyone. */
export function copyLog(connection: Connection): CheckpointResult {
  const [copied] = connection.pragma('wal_checkpoint(PASSIVE)') as [CheckpointResult]
  return copied
}

/** Copies the whole log to the database and truncates it. @returns false when a reader still uses it. */
export function emptyLog(connection: Connection): boolean {
  const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
  return busy === 0
}

/**
 * The same while others write: the first copy shortens the time writers wait, and readers are not waited for.
 */
export function emptySharedLog(connection: Connection): boolean {
  copyLog(connection)
  connection.pragma('busy_timeout = 0')
  try {
    return emptyLog(connection)
  } finally {
    connection.pragma('busy_timeout = 5000')
  }
}

/** The catalogue itself; its name replaces those of tables when they can't be read. */
export const catalogue = 'sqlite_schema'

/** Returns the names of our tables. */
export function tableNames(connection: Connection): string[] {
  return connection
    .prepare<[], string>(`SELECT name FROM ${catalogue} WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all()
}

/** Fixes the snapshot that reads see until the connection is closed. */
export function beginSnapshot(connection: Connection): void {
  connection.exec('BEGIN')
  connection.prepare(`SELECT count(*) FROM ${catalogue}`).get()
}

/** Merges the log into a database that no other process has open; the next writer creates a new log. */
export function makeOneFile(connection: Connection): void {
  connection.pragma('journal_mode = DELETE')
}

export function countRows(connection: Connection, table: string): number {
  return connection.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0
}

/** Returns the number of applied migrations; 0 for a foreign database. */
export function schemaOf(connection: Connection): number {
  if (!tableNames(connection).includes('migrations')) return 0
  return connection
    .prepare<[], number>('SELECT COALESCE(MAX(version), 0) FROM migrations')
    .pluck()
    .get() as number
}

/** Returns the problems in a table's pages, one per line; none when it is intact. */
export function problemsIn(connection: Connection, table: string): string[] {
  const told = connection.pragma(`quick_check('${table}')`) as { quick_check: string }[]
  return told
    .map(row => row.quick_check)
    .filter(line => line !== 'ok')
    .map(line => line.replace(/^\*\*\* in database main \*\*\*\n/u, ''))
}
