import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renamePatientlySync } from './patient-rename.js'

/** A full spool means that its consumer does not run, so nothing more is added. */
const maxFiles = 1000

/**
 * Writes an entry for another process into a folder, atomically and readable for its owner alone.
 * @param id file name of the entry; ascending ids preserve the order.
 * @returns false if the folder is full.
 * @throws Node's error; nothing of the entry is left then.
 */
export function putInSpool(folder: string, id: string, entry: object): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (spooledFiles(folder).length >= maxFiles) return false
  const file = join(folder, `${id}.json`)
  const temporary = `${file}.tmp`
  try {
    writeFileSync(temporary, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
    renamePatientlySync(temporary, file)
  } catch (error) {
    // A leftover file would block the same entry on a later attempt.
    rmSync(temporary, { force: true, maxRetries: 5 })
    throw error
  }
  return true
}

/** Names of the entries, oldest first; empty if the folder does not exist. */
export function spooledFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
