import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Writes generated files that changed and removes man pages of deleted commands. */
export async function writeFiles(root, files) {
  for (const path of await staleFiles(root, files)) {
    if (files[path] === undefined) {
      await rm(join(root, path))
      continue
    }
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), files[path])
  }
}

/**
 * Paths whose text differs from the generated one, and man pages of deleted commands. @returns
 * {Promise<string[]>}
 */
export async function staleFiles(root, files) {
  const stale = []
  for (const [path, text] of Object.entries(files)) {
    const current = await readFile(join(root, path), 'utf8').catch(() => undefined)
    if (current !== text) stale.push(path)
  }
  const pages = await readdir(join(root, 'man')).catch(() => [])
  return [...stale, ...pages.map(page => `man/${page}`).filter(path => files[path] === undefined)]
}
