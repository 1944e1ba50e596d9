import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the paths of the files below a folder, also behind links: folders of agents are often links into a
 * repository or to another disk. Each file and folder comes once, so a circle ends.
 * @param accepts decides by the file's name.
 * @throws the error of reading the folder itself; unreadable folders below it are skipped.
 */
export async function followedFiles(folder: string, accepts: (name: string) => boolean): Promise<string[]> {
  const found: string[] = []
  const seen = new Set<string>()
  const isNew = (real: string): boolean => seen.size < seen.add(real).size
  const visit = async (path: string, real: string, entries: readonly Dirent[]): Promise<void> => {
    const links: string[] = []
    for (const entry of entries) {
      if (entry.isSymbolicLink()) links.push(entry.name)
      else if (entry.isDirectory()) await enter(join(path, entry.name), join(real, entry.name))
      else if (entry.isFile() && accepts(entry.name) && isNew(join(real, entry.name)))
        found.push(join(path, entry.name))
    }
    // After the others, so that a file is found under its own name.
    for (const name of links) {
      const target = await realpath(join(path, name)).catch(() => undefined)
      const about = target === undefined ? undefined : await stat(target).catch(() => undefined)
      if (target === undefined || about === undefined) continue
      if (about.isDirectory()) await enter(join(path, name), target)
      else if (about.isFile() && accepts(name) && isNew(target)) found.push(join(path, name))
    }
  }
  const enter = async (path: string, real: string): Promise<void> => {
    const entries = isNew(real) ? await readdir(real, { withFileTypes: true }).catch(() => []) : []
    await visit(path, real, entries)
  }
  const real = await realpath(folder)
  isNew(real)
  await visit(folder, real, await readdir(real, { withFileTypes: true }))
  return found
}
