import { existsSync, rmSync } from 'node:fs'
import type { Database as Connection } from 'better-sqlite3'
import { codeSchema } from '../../sql/code-schema.js'
import { distrust, prepareDerived, prepareToRead, tableNames } from '../../sqlite/connection/connection.js'
import BetterSqlite from '../../sqlite/connection/driver.js'
import type { CodeAbout } from './code-rows.js'

/** Raise it when tables, language queries or name binding change; files of other versions are rebuilt. */
const codeVersion = '4'

/**
 * Opens a project's code index for reading, also while another process writes it.
 * @returns undefined when there is none of this version. @throws Error for a file that is not a database.
 */
export function openCodeFile(path: string): Connection | undefined {
  if (!existsSync(path)) return undefined
  const connection = new BetterSqlite(path, { readonly: true, fileMustExist: true })
  try {
    distrust(connection)
    prepareToRead(connection)
    if (aboutCode(connection)?.version === codeVersion) return connection
  } catch (error) {
    connection.close()
    throw error
  }
  connection.close()
  return undefined
}

/** Opens the index for writing; a missing, damaged or outdated one is recreated. */
export function openOrCreateCodeFile(path: string): Connection {
  const known = isCurrentFile(path)
  if (!known) removeCodeFile(path)
  const connection = new BetterSqlite(path)
  distrust(connection)
  prepareDerived(connection)
  if (known) return connection
  connection.exec(codeSchema)
  writeAbout(connection, {
    version: codeVersion,
    state: 'building',
    startedAt: '',
    finishedAt: '',
    pending: 'no',
    manifests: '',
  })
  return connection
}

function isCurrentFile(path: string): boolean {
  try {
    const connection = openCodeFile(path)
    connection?.close()
    return connection !== undefined
  } catch {
    return false
  }
}

export function removeCodeFile(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true, maxRetries: 5 })
}

/** Undefined when the file has no such table, or the table is still empty. */
export function aboutCode(connection: Connection): CodeAbout | undefined {
  if (!tableNames(connection).includes('about')) return undefined
  const rows = connection
    .prepare<[], { key: keyof CodeAbout; value: string }>('SELECT key, value FROM about')
    .all()
  return rows.length === 0
    ? undefined
    : (Object.fromEntries(rows.map(row => [row.key, row.value])) as unknown as CodeAbout)
}

export function writeAbout(connection: Connection, about: Partial<CodeAbout>): void {
  const put = connection.prepare(
    'INSERT INTO about (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  for (const [key, value] of Object.entries(about)) put.run(key, value)
}
