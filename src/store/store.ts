/**
 * The store: everything that is written to disk or computed from rows, without any product rule.
 *
 * - `sqlite/` opens the database, commits and repairs it; `tables/` has all SQL; `migrations/` creates the
 *   tables.
 * - `index/` is the search index in memory; `embedding/` makes vectors; `secrets/` encrypts; `files/` has
 *   small files.
 *
 * Data comes in as function arguments from `src/daemon` and goes out as rows. Every change of the database
 * goes through `Store` below, which `sqlite/database.ts` opens (docs/store.md). The store does not decide who
 * may read a row: use cases pass the boundary of the caller to the functions of `tables/`.
 */

import type { MigrationState } from './migrations/migrate.js'
import type { Pages } from './sqlite/connection/connection.js'
import type { Tables } from './tables/tables.js'

/** Queries of one transaction. Nothing slow belongs inside: everybody else waits for the connection. */
export type Work<T> = (tables: Tables) => Promise<T>

/**
 * How safe a write is once its promise resolves (docs/store.md).
 * - `synced`: one transaction, on the disk. Whatever a caller is told to be saved is written so.
 * - `committed`: one transaction that others can read. A power cut may lose it, together with everything that was
 *   committed after it and never alone. For work that is done again then, or that `Store.sync` follows.
 * - `executed`: every statement commits by itself, with the same risk. For counters and notes that may be lost.
 */
export type Durability = 'synced' | 'committed' | 'executed'

export interface WriteOptions {
  until: Durability
  /**
   * The work may share a transaction with others that come at the same moment, and so their wait for the disk. If one
   * of them fails, each is run again in a transaction of its own.
   */
  shared?: boolean
  /** Number of rows that it writes, default 1: few of them share a transaction, many have the log copied by a thread. */
  rows?: number
  /** It writes several MiB, and has a transaction of its own. */
  large?: boolean
}

/** The database of a workspace: its tables, and how to change them. */
export interface Store {
  /** Reads and single statements outside a transaction. */
  tables: Tables
  migrations: MigrationState
  write<T>(options: WriteOptions, work: Work<T>): Promise<T>
  /** Short for a write until it is `synced`. */
  transaction<T>(work: Work<T>): Promise<T>
  /** Resolves once everything that was committed is on the disk. @throws Error when the disk refused it. */
  sync(): Promise<void>
  /** @throws Error when a row can't be read: the file is damaged. */
  check(): Promise<void>
  close(): Promise<void>
  file: DatabaseFile
}

/** The part of a store that only a database in a file of ours has; one on a server would not have it. */
export interface DatabaseFile {
  /** @throws Error when the file was removed or moved away: nothing is written then (disk.md#a-database-that-is-gone). */
  assertInPlace(): void
  /** Whether a thread or another process can open the file. It can't when the file is gone, or open for us alone. */
  othersCanOpen(): boolean
  /** True when the database was opened on a full disk, exclusively for this connection; `rejoin` ends that. */
  isAlone(): boolean
  /** Lets others open the file again, once there is room. */
  rejoin(): Promise<void>
  /**
   * Leaves no byte of what was deleted before. The file itself is overwritten already; the log is copied and emptied.
   * @returns false when somebody read the log all the while; its bytes are overwritten later then.
   */
  forgetDeleted(): Promise<boolean>
  /** How many pages the file has, and how many of them are free. */
  pages(): Pages
  /** Returns some free pages to the disk. */
  giveBack(pages: number): Promise<void>
  /** Milliseconds since the last write began. */
  quietMs(): number
  /**
   * Rewrites the whole file in another process, in the form that can shrink. Reads go on; the first write ends it, and
   * waits for that alone.
   * @returns whether it was done. @throws Error when it failed; the file is as it was then.
   */
  convert(signal: AbortSignal): Promise<'converted' | 'gave_way'>
}

/** A connection that only reads; its transactions see the same rows from their first statement to their last. */
export type StoreReader = Pick<Store, 'tables' | 'transaction' | 'close'>
