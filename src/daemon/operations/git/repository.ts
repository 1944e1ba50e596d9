import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Settings } from '../../../contract/settings.js'
import type { Ground } from '../../ground/ground.js'
import { type Git, GitFault } from '../../platform/processes/git-program.js'

type Deps = Pick<Ground, 'paths' | 'configuration'>

/** The repository of the workspace, in a state in which it may be changed. */
export interface Repository {
  git: Git
  root: string
  /** Its folder of git. */
  gitDir: string
  settings: Settings['git']
}

/** What people have begun by hand and not ended, by the file that git keeps of it. */
const unfinished = {
  MERGE_HEAD: 'a merge',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
} as const

/** Whether the workspace is a repository itself; one that it lies in belongs to somebody else. */
export function isRepository({ paths }: Pick<Ground, 'paths'>): boolean {
  return existsSync(join(paths.root, '.git'))
}

/**
 * The repository of the workspace, on the branch of the settings (operations.md 1.3).
 * @throws GitFault that says what to do: no repository, no branch or another one, a merge or rebase in progress.
 */
export async function openRepository(deps: Deps, git: Git): Promise<Repository> {
  const { root } = deps.paths
  if (!isRepository(deps)) throw new GitFault(`${root} is no git repository; run: memory git init`)
  const settings = deps.configuration().settings.git
  const found = await git.ask(['rev-parse', '--absolute-git-dir'])
  if (found.code !== 0)
    throw new GitFault(
      `git takes ${join(root, '.git')} for no repository: ${found.words}; memory git init completes one that is half made`,
    )
  const gitDir = resolve(root, found.stdout.trim())
  for (const [file, what] of Object.entries(unfinished))
    if (existsSync(join(gitDir, file)))
      throw new GitFault(`${what} is in progress in ${root}; end it by hand with git, or abort it`)
  const { stdout } = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD'])
  const branch = stdout.trim()
  if (branch === '') throw new GitFault(`HEAD is detached in ${root}; run: git switch ${settings.branch}`)
  if (branch !== settings.branch)
    throw new GitFault(
      `the repository is on ${branch}, the settings say ${settings.branch}; run: memory git config --branch ${branch}`,
    )
  return { git, root, gitDir, settings }
}

/** Id of the commit that a name stands for; undefined where there is none. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const { code, stdout } = await git.ask(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  return code === 0 ? stdout.trim() : undefined
}

/** Address of the remote of the settings. @throws GitFault where there is none. */
export async function remoteAddress({
  git,
  settings,
}: Pick<Repository, 'git' | 'settings'>): Promise<string> {
  const { code, stdout } = await git.ask(['config', '--get', `remote.${settings.remote}.url`])
  if (code === 0 && stdout.trim() !== '') return stdout.trim()
  throw new GitFault(
    `there is no remote ${settings.remote}; run: git remote add ${settings.remote} ADDRESS, or memory git config --remote NAME`,
  )
}
