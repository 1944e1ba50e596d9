import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../../../contract/ground/errors.js'
import { readForeignSync } from '../../../../../lib/files/open-foreign.js'
import { quoted } from '../../../../../lib/text/clip.js'

/** The index folder inside a project, ignored by git. */
const folderName = '.memory-service'
/** The longest path that is read back. */
const maxMarkBytes = 64 * 1024

/**
 * Returns the path of a project's index. Only this workspace knows its name, so it never opens an index that
 * a cloned repository or an unpacked archive brings (security.md#foreign-folders).
 * @param root absolute
 * @param instance the secret id of the workspace
 */
export function codeDatabase(root: string, instance = ''): string {
  const name = createHash('sha256').update(`code index\0${instance}\0${root}`).digest('hex').slice(0, 24)
  return join(root, folderName, `code-${name}.db`)
}

/** Returns the path of the file that names the file being read. */
export function readingMark(database: string): string {
  return join(dirname(database), 'code.reading')
}

/** Returns the file that was being read when a process ended, or an empty text, and deletes the mark. */
export function takeReadingMark(database: string): string {
  try {
    return readForeignSync(readingMark(database), { maxBytes: maxMarkBytes }).toString('utf8')
  } catch {
    return ''
  } finally {
    rmSync(readingMark(database), { force: true, maxRetries: 5 })
  }
}

/**
 * @throws AppError `conflict` if a link or a pipe replaces part of the index, because writes would go
 *   elsewhere or wait forever
 */
export function refuseLinks(database: string): void {
  const name = basename(database)
  const names = ['', name, `${name}-wal`, `${name}-shm`, 'code.reading', '.gitignore']
  for (const name of names) {
    const path = join(dirname(database), name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found && name !== '' && !found.isFile() && !found.isSymbolicLink())
      throw new AppError('conflict', `${quoted(path)} is not a file; remove it to index the code`)
    if (found?.isSymbolicLink())
      throw new AppError('conflict', `${quoted(path)} is a link; the code index must not be behind a link`)
  }
}

/**
 * Creates the index folder.
 * @throws AppError `conflict` if a link or a file is in its place
 */
export function makeIndexFolder(database: string): void {
  refuseLinks(database)
  const folder = dirname(database)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ignoring = join(folder, '.gitignore')
  if (!lstatSync(ignoring, { throwIfNoEntry: false })) writeFileSync(ignoring, '*\n')
}
