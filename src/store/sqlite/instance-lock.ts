import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { holdFile } from './connection/connection.js'
import BetterSqlite from './connection/driver.js'

export class WorkspaceInUse extends Error {
  override name = 'WorkspaceInUse'
}

/**
 * Holds a workspace for this process until released or dead. SQLite's own file lock is used because the operating
 * system drops it with the process, `kill -9` included: there is no stale lock to guess about.
 * @throws WorkspaceInUse when another process holds it.
 */
export function takeInstanceLock(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const connection = new BetterSqlite(file, { timeout: 0 })
  try {
    holdFile(connection)
  } catch (cause) {
    connection.close()
    const code = (cause as { code?: string }).code ?? ''
    if (!code.startsWith('SQLITE_BUSY')) throw cause
    throw new WorkspaceInUse(`another daemon holds ${dirname(dirname(file))}`, { cause })
  }
  return () => connection.close()
}
