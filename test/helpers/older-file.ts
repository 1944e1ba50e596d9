import type { ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import type { Store } from '../../src/store/store.js'
import { migratedWorkspace } from './daemon.js'

/** A database as written by old releases, which did not return free space to the file system. */
export function olderFile(t: ExecutionContext, workspace = migratedWorkspace(t)): string {
  const { database } = workspacePaths(workspace)
  const raw = new BetterSqlite(database)
  raw.pragma('auto_vacuum = NONE')
  raw.exec('VACUUM')
  raw.close()
  return database
}

/** Writes notes one after another. @returns the last. */
export async function manyNotes({ tables: { meta } }: Store, count: number): Promise<string> {
  for (let note = 1; note <= count; note++) await meta.noteConversion(`note ${note} ${'x'.repeat(5000)}`)
  return (await meta.conversion()) as string
}
