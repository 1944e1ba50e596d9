import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** With this many files nothing is added: whatever should empty the folder does not run. */
const maxFiles = 1000

/**
 * Leaves an entry in a folder for another process, whole or not at all and for its owner alone.
 * @param id becomes the name of the file: ids that grow keep the order.
 * @returns false when the folder is full.
 * @throws node's error, and nothing is left of the entry.
 */
export function putInSpool(folder: string, id: string, entry: object): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (spooledFiles(folder).length >= maxFiles) return false
  const file = join(folder, `${id}.json`)
  const temporary = `${file}.tmp`
  try {
    writeFileSync(temporary, JSON.stringify(entry), { mode: 0o600, flag: 'wx' })
    renameSync(temporary, file)
  } catch (error) {
    // Half of it would keep the same entry out another time.
    rmSync(temporary, { force: true })
    throw error
  }
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
