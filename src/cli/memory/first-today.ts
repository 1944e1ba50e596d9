import { readFileSync } from 'node:fs'
import { replaceFile } from '../../lib/files/replace-file.js'

/**
 * True once a day by the clock of this machine, for what need not be told with every command.
 * @param file holds the day when it was told last. One that cannot be read or written tells it once more.
 */
export function firstToday(file: string, now: Date): boolean {
  const today = now.toDateString()
  try {
    if (readFileSync(file, 'utf8') === today) return false
  } catch {
    // Never told in this workspace, or nobody can say.
  }
  try {
    replaceFile(file, today, 0o600)
  } catch {
    // A full disk, or a workspace of another user: telling it twice does no harm.
  }
  return true
}
