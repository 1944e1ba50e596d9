import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, posix, resolve, win32 } from 'node:path'
import { readForeignText } from '../../../lib/files/open-foreign.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'configuration' | 'environment'>

/**
 * The project that a folder belongs to, the same from every subfolder and every worktree: what `projects` of agent.yaml
 * names (its nearest folder), SERVICE_PROJECT, the main working tree of its git repository, for a bare repository the
 * address of its origin without credentials, or the folder itself.
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

/** The same for the folder that a caller says it works in. */
export function projectOfCaller(
  deps: Deps,
  caller: Pick<Caller, 'peer' | 'forwarded'>,
  cwd: string | null | undefined,
): Promise<string | null> {
  return projectSaid(deps, cwd, { isHere: isOnThisMachine(caller) })
}

/**
 * The same for a folder that somebody named. One of another machine means nothing here, whatever lies at that path: it is
 * named as it was said, in one spelling, and so is what is no whole path on this one.
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

/** `https://user:token@host/owner/name.git` and `git@host:owner/name` are both `host/owner/name`. */
function withoutCredentials(remote: string): string {
  return remote
    .replace(/^[a-z+]+:\/\//iu, '')
    .replace(/^[^/]*@/u, '')
    .replace(/^([^/:]+):(?!\d+\/)/u, '$1/')
    .replace(/\.git\/?$/u, '')
}

/** Files of git are smaller, even with thousands of branches. */
const maxGitFileBytes = 1024 * 1024

/** A git repository as far as files tell; nothing is run. */
interface GitRepository {
  /** The folder that all worktrees of a repository share. */
  commonDir: string
  /** The main working tree; undefined for a bare repository. */
  mainTree: string | undefined
  /** Address of the remote `origin`. */
  remote: string | undefined
}

/** @returns the repository that a folder belongs to, from itself upwards; undefined when there is none. */
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
    // A worktree or a submodule names its folder in a file.
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
  const isBare = /^[ \t]*bare[ \t]*=[ \t]*true[ \t\r]*$/mu.test(config)
  const worktree = /^[ \t]*worktree[ \t]*=(.+)$/mu.exec(config)?.[1]?.trim()
  const beside = basename(commonDir) === '.git' && !isBare ? dirname(commonDir) : undefined
  return {
    commonDir,
    mainTree: worktree ? from(commonDir, worktree) : beside,
    remote: originOf(config),
  }
}

function originOf(config: string): string | undefined {
  const section = /^[ \t]*\[remote "origin"\][ \t\r]*$([^[]*)/mu.exec(config)?.[1]
  return /^[ \t]*url[ \t]*=(.+)$/mu.exec(section ?? '')?.[1]?.trim()
}

function from(folder: string, path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(folder, path)
}

async function textOf(file: string): Promise<string> {
  return (await readForeignText(file, { maxBytes: maxGitFileBytes, followLinks: true })) ?? ''
}
