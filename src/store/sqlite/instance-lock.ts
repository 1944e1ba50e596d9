import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockFile } from './connection/connection.js'
import BetterSqlite from './connection/driver.js'

export class WorkspaceInUse extends Error {
  override name = 'WorkspaceInUse'
}

/**
 * Locks a workspace until released or until this process ends. It uses SQLite's file lock, which the system
 * releases even after `kill -9`, so locks never become stale.
 * @throws WorkspaceInUse when another process has the lock.
 */
export function takeInstanceLock(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const connection = new BetterSqlite(file, { timeout: 0 })
  try {
    lockFile(connection)
  } catch (cause) {
    connection.close()
    const code = (cause as { code?: string }).code ?? ''
    if (!code.startsWith('SQLITE_BUSY')) throw cause
    throw new WorkspaceInUse(`another daemon holds ${dirname(dirname(file))}`, { cause })
  }
  return () => connection.close()
}
