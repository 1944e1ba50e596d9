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

import type { StorageCheck, StorageServer } from '../contract/operations/storage.js'
import type { MigrationState } from './migrations/migrate.js'
import type { Pages } from './sqlite/connection/connection.js'
import type { Tables } from './tables/tables.js'

/** The queries of one transaction. Keep slow work outside: all other callers wait for the connection. */
export type Work<T> = (tables: Tables) => Promise<T>

/** Writes the inputs of several callers with few statements. @returns a result for each, in their order. */
export type SetWork<Input, Result> = (tables: Tables, inputs: readonly Input[]) => Promise<readonly Result[]>

/**
 * The same where every statement can be sent before any is answered: rows are empty, and changes have
 * upcoming numbers (`postgres/ahead.ts`). Its statements fail where they would have to be others, so that
 * nothing is changed and the plain work runs.
 * @returns what makes the results from the real numbers; undefined where answers are needed after all
 */
export type AheadWork<Input, Result> = (
  tables: Tables,
  inputs: readonly Input[],
) => Promise<((numberOf: (upcoming: number) => number) => readonly Result[]) | undefined>

/**
 * How safe a write is once its promise resolves (docs/store.md).
 * - `synced`: one transaction, on disk. Required before reporting to a caller that something was saved.
 * - `committed`: one transaction, visible to others. A power cut may lose it together with all later ones.
 *   For repeatable work, or before `Store.sync`.
 * - `executed`: every statement commits separately, with the same risk. For counters that may be lost.
 */
export type Durability = 'synced' | 'committed' | 'executed'

export interface WriteOptions {
  until: Durability
  /**
   * Allows sharing a transaction, and its wait for the disk, with simultaneous work. If one part fails, each
   * is run again in its own transaction.
   */
  shared?: boolean
  /** Number of rows written, default 1: few rows share a transaction; for many, a thread copies the log. */
  rows?: number
  /** Writes several MiB and gets its own transaction. */
  large?: boolean
}

/** The database of a workspace: its tables, and how to change them. */
export interface Store {
  /** Reads and single statements outside a transaction. */
  tables: Tables
  migrations: MigrationState
  write<T>(options: WriteOptions, work: Work<T>): Promise<T>
  /**
   * A `synced` write that shares its transaction. Inputs that wait for the same work are given to one call of
   * it; if that fails, each input is written again by itself.
   * @param ahead is tried first where the database is a trip away
   */
  together<Input, Result>(
    work: SetWork<Input, Result>,
    input: Input,
    ahead?: AheadWork<Input, Result>,
  ): Promise<Result>
  /** Short for a `synced` write. */
  transaction<T>(work: Work<T>): Promise<T>
  /** Resolves once everything committed is on disk. @throws Error when the disk refused it. */
  sync(): Promise<void>
  /** @throws Error when a row can't be read: the file is damaged. */
  check(): Promise<void>
  close(): Promise<void>
  /** Absent when the database is on a server. */
  file?: DatabaseFile
  /** Absent when the database is a file. */
  server?: DatabaseServer
  /** Present where other daemons change rows at the same time. */
  changes?: SharedChanges
}

/** Operations for a database on a server. */
export interface DatabaseServer {
  /** The database and schema in words, without the password. */
  place: string
  /** @throws AppError `storage_unavailable` */
  look(): Promise<ServerLook>
}

/** How daemons of one database hear of each other's changes. */
export interface SharedChanges {
  /** The newest change that was there when this daemon last committed. */
  committed(): number
  /** Calls a function soon after changes of any daemon, but not after each. */
  listen(hear: (change: number) => void): void
}

/** Facts about a server, and judgements of them. */
export interface ServerLook {
  server: StorageServer
  checks: StorageCheck[]
}

/** A store whose database is a local file. */
export interface FileStore extends Store {
  file: DatabaseFile
}

/** Returns whether the database is a local file. */
export function hasFile(store: Store): store is FileStore {
  return store.file !== undefined
}

/** Operations for a database in a local file; a database server has none of them. */
export interface DatabaseFile {
  /**
   * @throws Error if the file was removed or moved; nothing is written then
   * (disk.md#a-database-that-is-gone).
   */
  assertInPlace(): void
  /** True if threads and other processes can open the file: not if it is missing or opened exclusively. */
  othersCanOpen(): boolean
  /** True if the database was opened exclusively because the disk was full; `rejoin` ends that. */
  isAlone(): boolean
  /** Lets others open the file again, after space was freed. */
  rejoin(): Promise<void>
  /**
   * Erases all deleted bytes. The file was overwritten already; the log is copied and emptied.
   * @returns false if a reader kept the log in use; its bytes are overwritten later.
   */
  forgetDeleted(): Promise<boolean>
  /** Number of pages and free pages of the file. */
  pages(): Pages
  /** Returns free pages to the disk. */
  giveBack(pages: number): Promise<void>
  /** Milliseconds since the last write began. */
  quietMs(): number
  /**
   * Rewrites the whole file in another process, in a form that can shrink. Reads continue; the first write
   * stops the conversion and waits only for that.
   * @throws Error if it failed; the file is then unchanged.
   */
  convert(signal: AbortSignal): Promise<'converted' | 'gave_way'>
}

/** A read-only connection; each of its transactions sees one consistent state. */
export type StoreReader = Pick<Store, 'tables' | 'transaction' | 'close'>
