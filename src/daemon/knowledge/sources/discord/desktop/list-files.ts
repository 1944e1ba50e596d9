import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Cache folders of the different Chromium releases. */
const cacheFolders = [join('Cache', 'Cache_Data'), 'Cache']
/** Folders with the application's state, which contains routes of channels. */
const stateFolders = [join('Local Storage', 'leveldb'), 'Session Storage']
/** Replies with messages are much smaller; larger files are videos. */
const largestFile = 64 * 1024 * 1024

export interface CacheFile {
  path: string
  folder: string
  name: string
  size: number
  mtimeMs: number
}

/** Lists the files of the cache by name, without links. */
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

/** A linked folder may lead out of the application's data, so it is skipped. */
async function namesIn(folder: string): Promise<string[]> {
  const stat = await lstat(folder).catch(() => undefined)
  return stat?.isDirectory() ? readdir(folder) : []
}
