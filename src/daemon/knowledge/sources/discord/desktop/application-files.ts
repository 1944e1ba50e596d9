import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Folder names of the application: stable, public test build, canary. */
const builds = ['discord', 'discordptb', 'discordcanary']

/** Returns the possible data folders of Discord's desktop application, existing or not. */
export function applicationFolders(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const home = environment.HOME || environment.USERPROFILE || ''
  return parentsOf(environment, platform, home).flatMap(parent => builds.map(build => join(parent, build)))
}

/** Returns the first of these folders that exists. */
export async function defaultFolder(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of applicationFolders(environment)) if (await isFolder(folder)) return realpath(folder)
  return undefined
}

/**
 * Returns the real path of a folder if it is one of the application's. Parent folders may be links, but a
 * link in place of the folder itself is rejected.
 * @returns undefined for any other or missing folder
 */
export async function knownFolder(path: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const real = await realpath(resolve(path)).catch(() => undefined)
  if (real === undefined || !(await isFolder(real))) return undefined
  for (const folder of applicationFolders(environment)) {
    const parent = await realpath(dirname(folder)).catch(() => undefined)
    if (parent !== undefined && join(parent, basename(folder)) === real) return real
  }
  return undefined
}

function parentsOf(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string): string[] {
  if (platform === 'win32') return environment.APPDATA ? [environment.APPDATA] : []
  if (home === '') return []
  if (platform === 'darwin') return [join(home, 'Library', 'Application Support')]
  return [
    environment.XDG_CONFIG_HOME || join(home, '.config'),
    join(home, '.var', 'app', 'com.discordapp.Discord', 'config'),
    join(home, 'snap', 'discord', 'current', '.config'),
  ]
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

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
