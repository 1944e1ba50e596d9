import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, posix, resolve, win32 } from 'node:path'
import { parse } from 'yaml'
import { memoize } from '../../../lib/concurrency/lazy.js'
import { readForeignText } from '../../../lib/files/open-foreign.js'
import { isRecord } from '../../../lib/text/json-of.js'
import { shortNameOf } from '../../../lib/text/names.js'
import { fullAddress, localRemote, remoteKey } from './git-settings.js'
import { type FirstCommit, type Repository, repositoryAt } from './repository.js'

/** The project of a folder, as its files describe it. */
export interface FolderIdentity {
  /** Key of the project: normalized remote, else first commit, else real path (projects.md#keys). */
  key: string
  name: string
  /** Root of the working tree, or the folder itself. */
  place: string
  /** Origin of the key. A `name` comes from `.memory.yaml` outside a repository. */
  source: 'remote' | 'commit' | 'folder' | 'name'
  repository: Repository | undefined
}

export interface IdentifyOptions {
  reads?: FolderReads | undefined
  /** Returns the key of the project of a known place, so that git does not run for it again. */
  keyOfPlace(path: string): string | undefined
  firstCommit: FirstCommit
  /** Files of the user's own git settings, which may shorten addresses (`url.BASE.insteadOf`). */
  gitSettings: readonly string[]
}

/** File with which a folder names its project. */
export const projectFile = '.memory.yaml'
const maxProjectFileBytes = 64 * 1024
/** Remotes on this machine that are followed. */
const maxLocalRemotes = 3

/**
 * Returns an absolute path of any system in one spelling; undefined for other text. Drive letters become
 * capital, because editors and terminals differ in them.
 */
export function absolutePath(text: string): string | undefined {
  const path = [posix, win32].find(system => system.isAbsolute(text))?.resolve(text)
  return path?.replace(/^[a-z](?=:)/u, letter => letter.toUpperCase())
}

/** Returns the name that settings give a folder or the nearest one around it. */
export function nameBySettings(
  names: readonly [place: string, name: string][],
  folder: string,
): string | undefined {
  const known = new Map(names.map(([place, name]) => [comparable(place), name]))
  for (let at = folder; ; ) {
    const name = known.get(comparable(at))
    if (name) return name
    const above = at.includes('\\') ? win32.dirname(at) : posix.dirname(at)
    if (above === at || above === '.') return undefined
    at = above
  }
}

/** Paths of Windows are the same in any case. */
function comparable(place: string): string {
  const path = absolutePath(place) ?? place
  return path.includes('\\') ? path.toLowerCase() : path
}

/**
 * Returns the real path in one spelling, on Windows and macOS with the case that the disk has; undefined for
 * a folder that does not exist.
 */
export async function realFolder(folder: string): Promise<string | undefined> {
  const path = await realpath(folder).catch(() => undefined)
  return path?.normalize('NFC')
}

/** Reads folders for one call, each only once. */
export interface FolderReads {
  real: typeof realFolder
  projectFile: typeof readProjectFile
}

/** Creates the reads of one call. */
export function folderReads(): FolderReads {
  return { real: memoize(realFolder), projectFile: memoize(readProjectFile) }
}

/** Identifies the project of a folder on this machine; undefined when the folder does not exist. */
export async function identify(
  folder: string,
  options: IdentifyOptions,
  followed = 0,
): Promise<FolderIdentity | undefined> {
  const { reads = folderReads() } = options
  const real = await reads.real(folder)
  if (real === undefined || !(await stat(real).catch(() => undefined))?.isDirectory()) return undefined
  let part: { name: string; folder: string } | undefined
  let bare: { at: string; repository: Repository } | undefined
  for (let at = real; ; at = dirname(at)) {
    const name = part ? undefined : await nameIn(at, reads)
    if (name) part = { name, folder: at }
    const repository = await repositoryAt(at)
    // A clone may bring a bare folder that names another project's remote, so its own repository comes first.
    if (repository?.gitDir === at) bare ??= { at, repository }
    else if (repository) return ofRepository(at, repository, part, options, followed)
    if (dirname(at) === at) break
  }
  if (bare) return ofRepository(bare.at, bare.repository, part, options, followed)
  if (part)
    return { key: part.name, name: part.name, place: part.folder, source: 'name', repository: undefined }
  return { key: real, name: shortNameOf(real), place: real, source: 'folder', repository: undefined }
}

async function ofRepository(
  tree: string,
  repository: Repository,
  part: { name: string; folder: string } | undefined,
  options: IdentifyOptions,
  followed: number,
): Promise<FolderIdentity> {
  const root = await keyOfRepository(tree, repository, options, followed)
  if (!part) return { ...root, place: tree, repository }
  // A repository names parts of itself only, so that a foreign one cannot pose as another project.
  return { ...root, key: `${root.key}#${part.name}`, name: part.name, place: part.folder, repository }
}

type RepositoryKey = Pick<FolderIdentity, 'key' | 'name' | 'source'>

async function keyOfRepository(
  tree: string,
  repository: Repository,
  options: IdentifyOptions,
  followed: number,
): Promise<RepositoryKey> {
  const { mainTree, commonDir } = repository
  const remote = await fullAddress(repository, options.gitSettings)
  // The tree is a real path already.
  const home = mainTree === tree ? tree : ((await realFolder(mainTree ?? commonDir)) ?? tree)
  const key = remote === undefined ? undefined : remoteKey(remote)
  if (key !== undefined) return { key, name: shortNameOf(key), source: 'remote' }
  const upstream = remote === undefined ? undefined : localRemote(remote)
  if (upstream !== undefined && followed < maxLocalRemotes) {
    const path = isAbsolute(upstream) ? upstream : resolve(home, upstream)
    const origin = path === home ? undefined : await identify(path, options, followed + 1)
    if (origin?.repository) return { key: origin.key, name: origin.name, source: origin.source }
  }
  const name = shortNameOf(home).replace(/\.git$/iu, '')
  const known = options.keyOfPlace(home)
  if (known !== undefined) return { key: known, name, source: 'commit' }
  const commit = await options.firstCommit(repository)
  return commit ? { key: `git:${commit}`, name, source: 'commit' } : { key: home, name, source: 'folder' }
}

/** Returns the fields of a folder's `.memory.yaml`; undefined without one, and for one that is not YAML. */
export async function readProjectFile(
  folder: string,
): Promise<{ project?: unknown; capture?: unknown } | undefined> {
  const text = await readForeignText(join(folder, projectFile), { maxBytes: maxProjectFileBytes })
  if (text === undefined) return undefined
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 })
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the name in a folder's `.memory.yaml`. */
async function nameIn(folder: string, reads: FolderReads): Promise<string | undefined> {
  const project = (await reads.projectFile(folder))?.project
  if (typeof project !== 'string') return undefined
  const name = project.trim().normalize('NFC')
  return name.length > 0 && name.length <= 100 && !/[\p{C}#/\\]/u.test(name) ? name : undefined
}
