import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, posix, resolve, win32 } from 'node:path'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'configuration' | 'environment'>

/**
 * Returns the project of a folder, the same for every subfolder and worktree. It is the first known of these:
 * the nearest folder in `projects` of agent.yaml, SERVICE_PROJECT, the main working tree of the git
 * repository, a bare repository's origin without credentials, or the folder itself.
 * @param cwd absolute path. @returns null without one.
 */
export async function projectOf(deps: Deps, cwd: string | null | undefined): Promise<string | null> {
  if (!cwd) return null
  const folder = resolve(cwd)
  const named = nameOf(deps, folder)
  if (named) return named
  const repository = await findRepository(folder)
  if (!repository) return folder
  const { commonDir, mainTree, remote } = repository
  return mainTree ?? (remote ? withoutCredentials(remote) : commonDir)
}

/** Returns the project of the folder that a caller reports. */
export function projectOfCaller(
  deps: Deps,
  caller: Pick<Caller, 'peer' | 'forwarded'>,
  cwd: string | null | undefined,
): Promise<string | null> {
  return projectSaid(deps, cwd, { isHere: isOnThisMachine(caller) })
}

/**
 * Returns the project of a reported folder. A path of another machine has no meaning here, so it is used
 * literally, in one spelling; so is a relative path on this machine.
 */
export async function projectSaid(
  deps: Deps,
  cwd: string | null | undefined,
  { isHere }: { isHere: boolean },
): Promise<string | null> {
  if (!cwd) return null
  if (isHere && isAbsolute(cwd)) return projectOf(deps, cwd)
  const folder = [posix, win32].find(system => system.isAbsolute(cwd))?.resolve(cwd) ?? cwd
  return nameOf(deps, folder) ?? folder
}

function nameOf({ configuration, environment }: Deps, folder: string): string | undefined {
  return namedBy(configuration().settings.projects, folder) ?? (environment.SERVICE_PROJECT || undefined)
}

function namedBy(projects: Readonly<Record<string, string>>, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const name = projects[at]
    if (name) return name
    if (dirname(at) === at) return undefined
  }
}

/** `https://user:token@host/owner/name.git` and `git@host:owner/name` both become `host/owner/name`. */
function withoutCredentials(remote: string): string {
  return remote
    .replace(/^[a-z+]+:\/\//iu, '')
    .replace(/^[^@/]*@/u, '')
    .replace(/^([^/:]+):(?!\d+\/)/u, '$1/')
    .replace(/\.git\/?$/u, '')
}

/** A git repository, as read from its files without running git. */
interface GitRepository {
  /** The folder shared by all worktrees of a repository. */
  commonDir: string
  /** The main working tree; undefined for a bare repository. */
  mainTree: string | undefined
  /** Address of the remote `origin`. */
  remote: string | undefined
}

/** @returns the repository of a folder, searched upwards; undefined without one. */
async function findRepository(folder: string): Promise<GitRepository | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const gitDir = await gitDirOf(at)
    if (gitDir) return describe(gitDir)
    if (dirname(at) === at) return undefined
  }
}

async function gitDirOf(folder: string): Promise<string | undefined> {
  const dotGit = join(folder, '.git')
  const kind = await stat(dotGit).catch(() => undefined)
  if (kind?.isDirectory()) return dotGit
  if (kind?.isFile()) {
    // A worktree or submodule names its git folder in a file.
    const target = /^gitdir: (.+)$/mu.exec(await textOf(dotGit))?.[1]?.trim()
    return target && from(folder, target)
  }
  const isBare = await stat(join(folder, 'HEAD')).catch(() => undefined)
  return isBare?.isFile() && (await stat(join(folder, 'objects')).catch(() => undefined))?.isDirectory()
    ? folder
    : undefined
}

async function describe(gitDir: string): Promise<GitRepository> {
  const shared = (await textOf(join(gitDir, 'commondir'))).trim()
  const commonDir = shared ? from(gitDir, shared) : gitDir
  const config = await textOf(join(commonDir, 'config'))
  const isBare = /^\s*bare\s*=\s*true\s*$/mu.test(config)
  const worktree = /^\s*worktree\s*=\s*(.+)$/mu.exec(config)?.[1]?.trim()
  const beside = basename(commonDir) === '.git' && !isBare ? dirname(commonDir) : undefined
  return {
    commonDir,
    mainTree: worktree ? from(commonDir, worktree) : beside,
    remote: originOf(config),
  }
}

function originOf(config: string): string | undefined {
  const section = /^\s*\[remote "origin"\]\s*$([^[]*)/mu.exec(config)?.[1]
  return /^\s*url\s*=\s*(.+)$/mu.exec(section ?? '')?.[1]?.trim()
}

function from(folder: string, path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(folder, path)
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
