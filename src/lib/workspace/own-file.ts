import type { Stats } from 'node:fs'
import { type FileHandle, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isInside } from '../files/folders.js'
import type { WorkspacePaths } from './paths.js'

/**
 * Returns true for a file of the workspace itself: secrets, settings and memories. Callers must not be able
 * to read them by naming them or hard links to them (security.md#modes).
 * @param path without symbolic links.
 * @param stats of the file, if they are known.
 * @param platform decides if another case of a name is the same file.
 */
export async function isOwnFile(
  paths: WorkspacePaths,
  path: string,
  stats?: Stats,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  // The workspace may not exist yet; then it has no files.
  const root = await realpath(paths.root).catch(() => paths.root)
  const { secretsDir, daemonDir, memoryDir, settings, summary } = paths
  const own = [secretsDir, daemonDir, memoryDir, settings, summary].map(each =>
    join(root, relative(paths.root, each)),
  )
  const foldsCase = platform === 'win32' || platform === 'darwin'
  const folded = (text: string): string => (foldsCase ? text.normalize('NFC').toLowerCase() : text)
  const asked = folded(path)
  if (own.map(folded).some(each => asked === each || isInside(each, asked))) return true
  const found = stats ?? (await stat(path).catch(() => undefined))
  return found !== undefined && isHardLink(found, root, own)
}

/**
 * Returns the path of an open file without links, since a folder on its way may have been swapped before it
 * was opened. Undefined if another file has taken its place.
 */
export async function placeOf(
  handle: FileHandle,
  path: string,
  { dev, ino }: Stats,
): Promise<string | undefined> {
  const exact = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (exact !== undefined) return exact.replace(/ \(deleted\)$/u, '')
  const real = await realpath(path)
  const now = await lstat(real)
  return now.dev === dev && now.ino === ino ? real : undefined
}

async function isHardLink(
  { dev, ino, nlink }: Stats,
  root: string,
  own: readonly string[],
): Promise<boolean> {
  if (nlink < 2 || (await stat(root).catch(() => undefined))?.dev !== dev) return false
  for (const each of own) for await (const file of filesIn(each)) if (file.ino === ino) return true
  return false
}

/** The file at a path, or all files below it. */
async function* filesIn(path: string): AsyncGenerator<Stats> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) yield found
  if (!found?.isDirectory()) return
  for (const name of await readdir(path).catch(() => [])) yield* filesIn(join(path, name))
}
