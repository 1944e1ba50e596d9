import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where replies are kept, by the release of Chromium. */
const cacheFolders = [join('Cache', 'Cache_Data'), 'Cache']
/** Where the application keeps what it was showing: routes of channels stand there. */
const stateFolders = [join('Local Storage', 'leveldb'), 'Session Storage']
/** Replies with messages are far smaller; what is larger is a film. */
const largestFile = 64 * 1024 * 1024

export interface CacheFile {
  path: string
  folder: string
  name: string
  size: number
  mtimeMs: number
}

/** Files of the cache, by name; links are none. */
export function cacheFiles(root: string): Promise<CacheFile[]> {
  return filesIn(root, cacheFolders)
}

export function stateFiles(root: string): Promise<CacheFile[]> {
  return filesIn(root, stateFolders)
}

async function filesIn(root: string, folders: readonly string[]): Promise<CacheFile[]> {
  const files: CacheFile[] = []
  for (const below of folders) {
    const folder = join(root, below)
    for (const name of (await namesIn(folder)).sort()) {
      const path = join(folder, name)
      const stat = await lstat(path).catch(() => undefined)
      if (stat?.isFile() && stat.size > 0 && stat.size <= largestFile)
        files.push({ path, folder, name, size: stat.size, mtimeMs: stat.mtimeMs })
    }
  }
  return files
}

/** A folder that is a link leads out of the application's: nothing of it is read. */
async function namesIn(folder: string): Promise<string[]> {
  const stat = await lstat(folder).catch(() => undefined)
  return stat?.isDirectory() ? readdir(folder) : []
}
