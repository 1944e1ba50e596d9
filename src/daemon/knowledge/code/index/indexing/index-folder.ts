import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../../../contract/ground/errors.js'
import { quoted } from '../../../../../lib/text/clip.js'

/** The folder of ours inside a project, which git passes over. */
const folderName = '.memory-service'

/** Where the index of a project's code is. @param root absolute */
export function codeDatabase(root: string): string {
  return join(root, folderName, 'code.db')
}

/** Where the process that reads files writes which one it reads. */
export function readingMark(database: string): string {
  return join(dirname(database), 'code.reading')
}

/** The file that was read when a process ended; empty when none was. It is forgotten then. */
export function takeReadingMark(database: string): string {
  try {
    return readFileSync(readingMark(database), 'utf8')
  } catch {
    return ''
  } finally {
    rmSync(readingMark(database), { force: true })
  }
}

/** @throws AppError `conflict` where a link stands in the place of the index: what is meant for it would go elsewhere. */
export function refuseLinks(root: string): void {
  const names = ['', 'code.db', 'code.db-wal', 'code.db-shm', 'code.reading', '.gitignore']
  for (const name of names) {
    const path = join(root, folderName, name)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new AppError(
        'conflict',
        `${quoted(path)} is a link; the index of the code is not kept behind one`,
      )
  }
}

/** Makes the folder of the index. @throws AppError `conflict` where a link or a file stands in its place. */
export function makeIndexFolder(root: string): void {
  refuseLinks(root)
  const folder = join(root, folderName)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ignoring = join(folder, '.gitignore')
  if (!lstatSync(ignoring, { throwIfNoEntry: false })) writeFileSync(ignoring, '*\n')
}
