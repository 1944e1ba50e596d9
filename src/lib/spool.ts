import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** More than this many files wait for nobody: whatever should empty the folder does not run. */
const maxFiles = 1000

/**
 * Leaves an entry in a folder for another process, whole or not at all and for its owner alone.
 * @param id becomes the name of the file: ids that grow keep the order.
 * @returns false when the folder is full.
 */
export function putInSpool(folder: string, id: string, entry: object): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (spooledFiles(folder).length >= maxFiles) return false
  const file = join(folder, `${id}.json`)
  writeFileSync(`${file}.tmp`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.tmp`, file)
  return true
}

/** Names of the entries, oldest first; empty when there is no folder. */
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
