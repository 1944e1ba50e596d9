import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Connection } from 'better-sqlite3'
import { sql } from 'kysely'
import { storageFault } from '../../lib/files/storage-fault.js'
import { type MigrationState, migrate } from '../migrations/migrate.js'
import { createTables, type Tables } from '../tables/tables.js'
import { groupCommit } from './commits/group-commit.js'
import { createLogSync, type LogSync } from './commits/log-sync.js'
import { createWriteGate } from './commits/write-gate.js'
import {
  forgetStatistics,
  giveBackPages,
  type Pages,
  pagesOf,
  prepareNew,
  prepareToRead,
  prepareToWrite,
  setDurable,
  setShared,
  shareAgain,
} from './connection/connection.js'
import BetterSqlite from './connection/driver.js'
import { watchPlace } from './file-place.js'
import { type Checkpoints, createCheckpoints, emptyPatiently } from './log/checkpoints.js'
import { placeNewDatabase } from './new-database.js'
import { type OneConnection, oneConnection } from './one-connection.js'
import { withStatementCache } from './statement-cache.js'
import { convertFile } from './upkeep/conversion.js'

export interface Store {
  tables: Tables
  migrations: MigrationState
  /** @throws Error when its file was removed or moved away: then nothing is written (disk.md#a-database-that-is-gone). */
  assertInPlace(): void
  /** Whether a thread or another process can open the file: one that is gone, or held alone, is read by this connection. */
  othersCanOpen(): boolean
  /** True when the database was opened on a full disk, exclusively for this connection; `rejoin` ends that. */
  isAlone(): boolean
  /** Lets others open the file again, once there is room. */
  rejoin(): Promise<void>
  /**
   * Runs `work` in one write transaction; it is durable once this resolves. Nothing slow belongs inside.
   * @param options.large it writes several MiB.
   */
  transaction<T>(work: (tables: Tables) => Promise<T>, options?: { large: boolean }): Promise<T>
  /** The same for a small write of which many come at once: they share a transaction, and their wait for the disk. */
  shared<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /**
   * A transaction that does not wait for the disk: a power cut may lose it together with all that was committed after
   * it, never alone. For work whose job is done again then.
   * @param rows that it writes, if they are few: then it shares a transaction with what comes within a few milliseconds.
   */
  repeatable<T>(work: (tables: Tables) => Promise<T>, rows?: number): Promise<T>
  /**
   * One transaction of many that `sync` ends: it does not wait for the disk, and nobody may be told of it before that.
   * @param rows that it writes
   */
  unsynced<T>(work: (tables: Tables) => Promise<T>, rows: number): Promise<T>
  /** Resolves once everything that was committed is on the disk. @throws Error when the disk refused it. */
  sync(): Promise<void>
  /** A write that may be lost in a power cut (counters): committed without waiting for the disk. */
  bookkeeping<T>(work: (tables: Tables) => Promise<T>): Promise<T>
  /**
   * Leaves no byte of what was deleted before: it is overwritten in the file, and stands in the log until that is copied
   * and emptied. @returns false where somebody read the log all the while; it is overwritten in time then.
   */
  forgetDeleted(): Promise<boolean>
  /** What the file is made of. */
  pages(): Pages
  /** Gives some pages that hold nothing back to the disk. */
  giveBack(pages: number): Promise<void>
  /** Milliseconds since the last write was begun. */
  quietMs(): number
  /**
   * Writes the whole file anew in another process, in the form that can shrink. Reads go on; the first write that comes
   * ends it, and waits for that alone.
   * @returns whether it was done. @throws Error when it failed; the file is as it was then.
   */
  convert(signal: AbortSignal): Promise<'converted' | 'gave_way'>
  /** @throws Error when the file is damaged. */
  check(): Promise<void>
  close(): Promise<void>
}

/** A transaction of so many rows takes about 10 ms. */
const repeatableTogether = { atMost: 64, lingerMs: 5 }

/**
 * Opens the record of truth and brings its schema up to date. On a full disk it is opened for this connection alone if
 * it cannot be otherwise: reading needs no shared memory then, which is a file.
 * @param onFault is called with every error of a statement; the error is thrown as well.
 * @throws Error when the file is no database, or a newer release wrote it.
 */
export function openStore(
  file: string,
  now: Date,
  onFault: (error: unknown) => void = () => undefined,
): Store {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const { connection, migrations, alone } = openWhole(file, now)
  const gate = createWriteGate()
  const assertInPlace = watchPlace(file)
  const database = withStatementCache(connection, { onFault, assertInPlace })
  const one = oneConnection(database, gate)
  const checkpoints = createCheckpoints(connection)
  const state = { alone }
  const disk = createLogSync(`${file}-wal`, { copy: () => emptyPatiently(checkpoints), onFault })
  const writes = writesOn(connection, { one, checkpoints, disk, isAlone: () => state.alone })
  return {
    othersCanOpen: () => !state.alone && succeeds(assertInPlace),
    isAlone: () => state.alone,
    rejoin: async () => {
      if (!state.alone) return
      // Between transactions.
      await one.alone(async () => shareAgain(connection))
      state.alone = false
    },
    assertInPlace,
    tables: createTables(one.db),
    migrations,
    ...writes,
    forgetDeleted: async () => !state.alone && emptyPatiently(checkpoints),
    pages: () => pagesOf(connection),
    quietMs: gate.quietMs,
    convert: signal =>
      checkpoints.leftAlone(() =>
        convertFile({ file, gate, between: work => one.alone(async () => work()), signal }),
      ),
    check: async () => {
      await sql`SELECT 1 FROM memories LIMIT 1`.execute(one.db)
    },
    close: async () => {
      await checkpoints.close()
      await one.alone(async () => {
        disk.close()
        database.close()
      })
    },
  }
}

function succeeds(check: () => void): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

type Writes = Pick<
  Store,
  'transaction' | 'shared' | 'repeatable' | 'unsynced' | 'sync' | 'bookkeeping' | 'giveBack'
>

type Work<T> = (tables: Tables) => Promise<T>

interface Writing {
  one: OneConnection
  checkpoints: Checkpoints
  disk: LogSync
  isAlone(): boolean
}

function writesOn(connection: Connection, { one, checkpoints, disk, isAlone }: Writing): Writes {
  const inside = createTables(one.inside)
  const noteCommit = (rows = 1): void => {
    if (!isAlone()) checkpoints.noteCommit(Number.isFinite(rows) ? rows : 1)
  }
  const unwaited = <T>(work: () => Promise<T>, rows?: number): Promise<T> =>
    one.writing(async () => {
      setDurable(connection, false)
      try {
        return await work()
      } finally {
        setDurable(connection, true)
        noteCommit(rows)
      }
    })
  const paused = async <T>(work: Work<T>, rows: number): Promise<T> => {
    await checkpoints.pause('unwaited')
    return unwaited(() => one.atomically(() => work(inside)), rows)
  }
  const repeatable = groupCommit(paused, repeatableTogether)
  const transaction = <T>(work: Work<T>, { large = false, rows = 1 } = {}): Promise<T> =>
    one
      .writing(() =>
        one.atomically(() => {
          if (large && !isAlone()) checkpoints.expectLarge()
          return work(inside)
        }, disk.noteWait),
      )
      .finally(() => noteCommit(rows))
  // Committed in the main thread, which waiting for the disk would hold; and then on the disk.
  const owed = { sync: false }
  const syncOwed = (): Promise<void> => {
    owed.sync = false
    return disk.sync()
  }
  const shared = groupCommit(
    async (work, rows) => {
      // On a slow disk the pause takes longer than it gives back.
      if (!disk.isSlow() || isAlone()) await checkpoints.pause('saves')
      if (isAlone() || !disk.isElsewhere(rows)) return transaction(work, { rows })
      const result = await unwaited(() => one.atomically(() => work(inside)), rows)
      owed.sync = true
      return result
    },
    { settle: async () => (owed.sync ? syncOwed() : undefined) },
  )
  return {
    transaction,
    shared: work => shared(work),
    repeatable: (work, rows = Number.POSITIVE_INFINITY) => repeatable(work, rows),
    unsynced: (work, rows) => (isAlone() ? transaction(work) : paused(work, rows)),
    sync: async () => {
      if (!isAlone()) await disk.sync()
    },
    bookkeeping: work => unwaited(() => work(inside)),
    giveBack: pages => unwaited(async () => giveBackPages(connection, pages), pages),
  }
}

/** What only reads the record of truth; its transactions see the same rows from their first statement to their last. */
export type StoreReader = Pick<Store, 'tables' | 'transaction' | 'close'>

/** Reads the record of truth while another connection of this process writes it. @throws Error when there is none. */
export function openReader(file: string): StoreReader {
  const connection = new BetterSqlite(file, { readonly: true, fileMustExist: true })
  prepareToRead(connection)
  const database = withStatementCache(connection)
  const one = oneConnection(database)
  const made: { inside?: Tables } = {}
  const inside = (): Tables => {
    made.inside ??= createTables(one.inside)
    return made.inside
  }
  return {
    tables: createTables(one.db),
    transaction: work => one.alone(() => one.atomically(() => work(inside()))),
    close: () => one.alone(async () => database.close()),
  }
}

interface Opened {
  connection: Connection
  migrations: MigrationState
  alone: boolean
}

function openWhole(file: string, now: Date): Opened {
  try {
    return { ...openConnection(file, now, { shared: true }), alone: false }
  } catch (error) {
    if (!storageFault(error)) throw error
    return { ...openConnection(file, now, { shared: false }), alone: true }
  }
}

function openConnection(file: string, now: Date, { shared }: { shared: boolean }): Omit<Opened, 'alone'> {
  placeNewDatabase(file, now)
  const connection = new BetterSqlite(file)
  try {
    setShared(connection, shared)
    prepareNew(connection)
    prepareToWrite(connection)
    const migrations = migrate(connection, now)
    forgetStatistics(connection)
    return { connection, migrations }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** True for a write that the uniqueness of contents or idempotency keys refused. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'SQLITE_CONSTRAINT_UNIQUE'
}
