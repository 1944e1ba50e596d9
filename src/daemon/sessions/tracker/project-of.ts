import { dirname, isAbsolute, posix, resolve, win32 } from 'node:path'
import { findRepository } from '../../../lib/files/git-repository.js'
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
    .replace(/^[^@/]*@/u, '')
    .replace(/^([^/:]+):(?!\d+\/)/u, '$1/')
    .replace(/\.git\/?$/u, '')
}
