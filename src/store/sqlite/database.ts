import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Connection } from 'better-sqlite3'
import { sql } from 'kysely'
import { storageFault } from '../../lib/files/storage-fault.js'
import { groupCommit } from '../group-commit.js'
import { type MigrationState, migrate } from '../migrations/migrate.js'
import type { DatabaseFile, FileStore, Store, StoreReader, Work } from '../store.js'
import { createTables, type Tables } from '../tables/tables.js'
import { createLogSync, type LogSync } from './commits/log-sync.js'
import { createWriteGate } from './commits/write-gate.js'
import {
  forgetStatistics,
  pagesOf,
  prepareNew,
  prepareToRead,
  prepareToWrite,
  releasePages,
  setDurable,
  setShared,
  unlockFile,
} from './connection/connection.js'
import BetterSqlite from './connection/driver.js'
import { watchPlace } from './file-place.js'
import { type Checkpoints, createCheckpoints, emptyLogWithRetries } from './log/checkpoints.js'
import { placeNewDatabase } from './new-database.js'
import { type OneConnection, oneConnection } from './one-connection.js'
import { withStatementCache } from './statement-cache.js'
import { convertFile } from './upkeep/conversion.js'

/** A transaction of this many rows takes about 10 ms. */
const committedTogether = { atMost: 64, lingerMs: 5 }

/**
 * Opens the record of truth and migrates its schema. On a full disk it falls back to exclusive mode, which
 * needs no shared memory file.
 * @param onFault is called with every error of a statement; the error is thrown as well.
 * @throws Error when the file is not a database, or a newer release wrote it.
 */
export function openStore(
  file: string,
  now: Date,
  onFault: (error: unknown) => void = () => undefined,
): FileStore {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const { connection, migrations, alone } = openWhole(file, now)
  const gate = createWriteGate()
  const assertInPlace = watchPlace(file)
  const database = withStatementCache(connection, { onFault, assertInPlace })
  const one = oneConnection(database, gate)
  const checkpoints = createCheckpoints(connection)
  let isAlone = alone
  const disk = createLogSync(`${file}-wal`, { copy: () => emptyLogWithRetries(checkpoints), onFault })
  const writes = writesOn(connection, { one, checkpoints, disk, isAlone: () => isAlone })
  return {
    tables: createTables(one.db),
    migrations,
    write: writes.write,
    together: writes.together,
    transaction: work => writes.write({ until: 'synced' }, work),
    sync: async () => {
      if (!isAlone) await disk.sync()
    },
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
    file: {
      assertInPlace,
      othersCanOpen: () => !isAlone && succeeds(assertInPlace),
      isAlone: () => isAlone,
      rejoin: async () => {
        if (!isAlone) return
        // The mode can change only between transactions.
        await one.alone(async () => unlockFile(connection))
        isAlone = false
      },
      forgetDeleted: async () => !isAlone && emptyLogWithRetries(checkpoints),
      pages: () => pagesOf(connection),
      giveBack: writes.giveBack,
      quietMs: gate.quietMs,
      convert: signal =>
        checkpoints.leftAlone(() =>
          convertFile({ file, gate, between: work => one.alone(async () => work()), signal }),
        ),
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

interface Writes {
  write: Store['write']
  together: Store['together']
  giveBack: DatabaseFile['giveBack']
}

interface WriteDependencies {
  one: OneConnection
  checkpoints: Checkpoints
  disk: LogSync
  isAlone(): boolean
}

function writesOn(connection: Connection, { one, checkpoints, disk, isAlone }: WriteDependencies): Writes {
  const inside = createTables(one.inside)
  const noteCommit = (rows: number): void => {
    if (!isAlone()) checkpoints.noteCommit(rows)
  }
  const unsynced = <T>(work: () => Promise<T>, rows = 1): Promise<T> =>
    one.writing(async () => {
      setDurable(connection, false)
      try {
        return await work()
      } finally {
        setDurable(connection, true)
        noteCommit(rows)
      }
    })
  const synced = <T>(work: Work<T>, { large = false, rows = 1 } = {}): Promise<T> =>
    one
      .writing(() =>
        one.atomically(() => {
          if (large && !isAlone()) checkpoints.expectLarge()
          return work(inside)
        }, disk.noteWait),
      )
      .finally(() => noteCommit(rows))
  // Commits in the main thread without a sync; a thread then waits for the disk.
  let owesSync = false
  const saves = groupCommit(
    async (work, rows) => {
      // On a slow disk the pause costs more than it saves.
      if (!disk.isSlow() || isAlone()) await checkpoints.pause('saves')
      if (isAlone() || !disk.isElsewhere(rows)) return synced(work, { rows })
      const result = await unsynced(() => one.atomically(() => work(inside)), rows)
      owesSync = true
      return result
    },
    {
      settle: async () => {
        if (!owesSync) return
        owesSync = false
        await disk.sync()
      },
    },
  )
  const commit = groupCommit(async (work, rows) => {
    // `Store.sync` does nothing in this case.
    if (isAlone()) return synced(work, { rows })
    await checkpoints.pause('unwaited')
    return unsynced(() => one.atomically(() => work(inside)), rows)
  }, committedTogether)
  return {
    write: ({ until, shared = false, large = false, rows = 1 }, work) => {
      if (until === 'executed') return unsynced(() => work(inside))
      if (until === 'committed') return commit.write(work, { rows, alone: !shared })
      return shared ? saves.write(work, { rows }) : synced(work, { large, rows })
    },
    together: saves.together,
    giveBack: pages => unsynced(async () => releasePages(connection, pages), pages),
  }
}

/** Opens a reader while another connection of this process writes. @throws Error when the file is missing. */
export function openReader(file: string): StoreReader {
  const connection = new BetterSqlite(file, { readonly: true, fileMustExist: true })
  prepareToRead(connection)
  const database = withStatementCache(connection)
  const one = oneConnection(database)
  let inside: Tables | undefined
  return {
    tables: createTables(one.db),
    transaction: work => {
      inside ??= createTables(one.inside)
      const tables = inside
      return one.alone(() => one.atomically(() => work(tables)))
    },
    close: () => one.alone(async () => database.close()),
  }
}

interface OpenConnection {
  connection: Connection
  migrations: MigrationState
  alone: boolean
}

function openWhole(file: string, now: Date): OpenConnection {
  try {
    return { ...openConnection(file, now, { shared: true }), alone: false }
  } catch (error) {
    if (!storageFault(error)) throw error
    return { ...openConnection(file, now, { shared: false }), alone: true }
  }
}

function openConnection(
  file: string,
  now: Date,
  { shared }: { shared: boolean },
): Omit<OpenConnection, 'alone'> {
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
