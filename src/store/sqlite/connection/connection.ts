import type { Database as Connection } from 'better-sqlite3'

// What SQLite is asked for beside statements: settings of a connection, its log, its locks and its catalogue.

/**
 * A save changes few bytes of each of some fifteen pages, and the log takes whole ones: smaller pages than SQLite's 4096
 * bytes halve what it writes.
 */
const pageBytes = 2048

/**
 * A file that is still empty will be one of small pages that can give them back to the disk. Any other stays untouched:
 * asked for again, SQLite would write, which a start on a full disk can't.
 */
export function prepareNew(connection: Connection): void {
  if (connection.pragma('page_count', { simple: true }) !== 0) return
  connection.pragma(`page_size = ${pageBytes}`)
  askToShrink(connection)
}

function askToShrink(connection: Connection): void {
  connection.pragma('auto_vacuum = INCREMENTAL')
}

/** What a file is made of. */
export interface Pages {
  count: number
  /** Those that hold nothing. */
  free: number
  bytes: number
  /** Whether those that hold nothing can be given back. */
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

/** Gives so many pages that hold nothing back to the disk, once the log is copied. */
export function giveBackPages(connection: Connection, pages: number): void {
  connection.pragma(`incremental_vacuum(${pages})`)
}

/** Writes the whole file anew, so that it can shrink; nobody else can write meanwhile. */
export function convertWhole(connection: Connection): void {
  connection.pragma('busy_timeout = 5000')
  connection.pragma('temp_store = FILE')
  askToShrink(connection)
  connection.exec('VACUUM')
}

/**
 * Settings of the connection that writes: other connections may read meanwhile, a commit is on the disk before its
 * caller hears of it, and what is deleted is overwritten, so that no free place of the file holds it.
 */
export function prepareToWrite(connection: Connection): void {
  connection.pragma('journal_mode = WAL')
  connection.pragma('secure_delete = ON')
  setDurable(connection, true)
  connection.pragma('foreign_keys = ON')
  prepareToRead(connection)
}

/**
 * 4 MiB of pages are kept: the system has the file in memory anyway, and SQLite looks through all that are kept whenever
 * a commit has put pages in another order, as most commits do.
 */
export function prepareToRead(connection: Connection): void {
  connection.pragma('busy_timeout = 5000')
  connection.pragma('temp_store = MEMORY')
  connection.pragma('cache_size = -4096')
}

/**
 * For a connection that reads a whole file once: pages that it kept would stay in the allocator's heap as a hole, when it
 * is closed, below what was allocated meanwhile.
 */
export function prepareToReadOnce(connection: Connection): void {
  connection.pragma('cache_size = -256')
}

/**
 * Settings of the only connection to a file of what can be made anew: a commit survives the process, not a power cut.
 * What is deleted is overwritten, so that free pages hold none of it.
 */
export function prepareDerived(connection: Connection): void {
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = NORMAL')
  connection.pragma('secure_delete = ON')
  prepareToRead(connection)
}

/** Whether commits from now on wait for the disk. */
export function setDurable(connection: Connection, durable: boolean): void {
  connection.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
}

/** Whether others may open the file. Call it before anything else: alone a connection needs no shared memory, which is a file. */
export function setShared(connection: Connection, shared: boolean): void {
  connection.pragma(`locking_mode = ${shared ? 'NORMAL' : 'EXCLUSIVE'}`)
}

/** Lets others open the file again, between transactions; the mode of locking can only change while there is no log. */
export function shareAgain(connection: Connection): void {
  connection.pragma('journal_mode = DELETE')
  setShared(connection, true)
  connection.pragma('journal_mode = WAL')
}

/** Holds a file alone until the connection is closed. Nothing is written, so that it can be taken on a full disk. */
export function holdFile(connection: Connection): void {
  connection.pragma('journal_mode = MEMORY')
  connection.exec('BEGIN EXCLUSIVE')
}

/** The plans of our statements are those without statistics, and tested so: what another program counted here goes. */
export function forgetStatistics(connection: Connection): void {
  const known = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'").get()
  if (known) connection.exec('DELETE FROM sqlite_stat1; ANALYZE sqlite_schema')
}

/** From so many pages in the log on a commit copies them to the database before it returns. */
export function copyLogFrom(connection: Connection, pages: number): void {
  connection.pragma(`wal_autocheckpoint = ${pages}`)
}

/** What a checkpoint found in the log, and how much of it is in the database now, in pages. */
export interface CopiedLog {
  log: number
  checkpointed: number
}

/** Copies to the database what nobody reads in the log any more, and lets nobody wait. */
export function copyLog(connection: Connection): CopiedLog {
  const [copied] = connection.pragma('wal_checkpoint(PASSIVE)') as [CopiedLog]
  return copied
}

/** Copies all of the log to the database and leaves none of it. @returns false where somebody reads it still. */
export function emptyLog(connection: Connection): boolean {
  const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
  return busy === 0
}

/** The same where others write: they wait for what came to the log meanwhile, and nobody waits for who reads it. */
export function emptySharedLog(connection: Connection): boolean {
  copyLog(connection)
  connection.pragma('busy_timeout = 0')
  try {
    return emptyLog(connection)
  } finally {
    connection.pragma('busy_timeout = 5000')
  }
}

/** The table of contents itself: it is named where the names of tables can't be read. */
export const catalogue = 'sqlite_schema'

/** Names of our tables. */
export function tableNames(connection: Connection): string[] {
  return connection
    .prepare<[], string>(`SELECT name FROM ${catalogue} WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all()
}

/** From now on reads see the database as it is now, whatever others write, until the connection is closed. */
export function holdView(connection: Connection): void {
  connection.exec('BEGIN')
  connection.prepare(`SELECT count(*) FROM ${catalogue}`).get()
}

/** Makes a database that nobody else has open one file: its log is in it, and comes anew with the next writer. */
export function makeOneFile(connection: Connection): void {
  connection.pragma('journal_mode = DELETE')
}

export function countRows(connection: Connection, table: string): number {
  return connection.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0
}

/** Number of migrations that were applied; 0 for a database that is none of ours. */
export function schemaOf(connection: Connection): number {
  if (!tableNames(connection).includes('migrations')) return 0
  return connection
    .prepare<[], number>('SELECT COALESCE(MAX(version), 0) FROM migrations')
    .pluck()
    .get() as number
}

/** What is wrong with the pages of a table, a line each; none when all is well. */
export function problemsIn(connection: Connection, table: string): string[] {
  const told = connection.pragma(`quick_check('${table}')`) as { quick_check: string }[]
  return told
    .map(row => row.quick_check)
    .filter(line => line !== 'ok')
    .map(line => line.replace(/^\*\*\* in database main \*\*\*\n/u, ''))
}
