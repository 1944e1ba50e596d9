import { dirname, resolve } from 'node:path'
import { findRepository } from '../../../lib/git-repository.js'
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
  const named = namedBy(deps.configuration().settings.projects, folder)
  if (named) return named
  if (deps.environment.SERVICE_PROJECT) return deps.environment.SERVICE_PROJECT
  const repository = await findRepository(folder)
  if (!repository) return folder
  const { commonDir, mainTree, remote } = repository
  return mainTree ?? (remote ? withoutCredentials(remote) : commonDir)
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
