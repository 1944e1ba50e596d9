import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Settings } from '../../../contract/settings.js'
import type { Ground } from '../../ground/ground.js'
import { type Git, GitFault, refuse } from '../../platform/processes/git-program.js'
import { findChanges } from './committable.js'

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
 * The folder of git of a workspace that {@link isRepository}; undefined where that is half made, so that git takes none or,
 * where it does not see the ceiling through a link, that of a folder above.
 * @throws GitFault with git's words where it may be whole.
 */
export async function gitDirOf({ paths }: Pick<Ground, 'paths'>, git: Git): Promise<string | undefined> {
  const asked = ['rev-parse', '--show-prefix', '--absolute-git-dir']
  const end = await git.ask(asked)
  if (end.code !== 0) return end.words.includes('not a git repository') ? undefined : refuse(asked, end)
  const [prefix = '', folder = ''] = end.stdout.split('\n')
  return prefix === '' ? resolve(paths.root, folder) : undefined
}

/**
 * The repository of the workspace, on the branch of the settings (operations.md 1.3).
 * @throws GitFault that says what to do: no repository, no branch or another one, a merge or rebase in progress.
 */
export async function openRepository(deps: Deps, git: Git): Promise<Repository> {
  const { root } = deps.paths
  if (!isRepository(deps)) throw new GitFault(`${root} is no git repository; run: memory git init`)
  const settings = deps.configuration().settings.git
  const gitDir = await gitDirOf(deps, git)
  if (gitDir === undefined)
    throw new GitFault(
      `git takes ${join(root, '.git')} for no repository; memory git init completes one that is half made`,
    )
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

/** Who commits, where git knows nobody. */
const own = ['-c', 'user.name=memory-service', '-c', 'user.email=memory-service@localhost'] as const

/**
 * Commits what has changed and may be committed; what somebody staged beside it stays staged.
 * @returns a line that says what was committed; undefined when there was nothing.
 * @throws GitFault
 */
export async function commitChanges(repository: Repository): Promise<string | undefined> {
  const { git, root } = repository
  const { files } = await findChanges(git, root)
  if (files.length === 0) return undefined
  // By exact paths: one that is gone, and that somebody staged as gone already, is no pathspec of `git add` any more.
  await git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
    input: files.map(path => `${path}\0`).join(''),
  })
  const staged = new Set(
    (await git.run(['diff', '--cached', '--name-only', '--no-renames', '-z'])).split('\0'),
  )
  const changed = files.filter(path => staged.has(path))
  if (changed.length === 0) return undefined
  const what = changed.length === 1 ? `${changed[0]}` : `${changed.length} files`
  const author = await authorOf(repository)
  const commit = ['commit', '--quiet', '--no-verify', '-m', `Update ${what}`, '--only'] as const
  const byList = ['--pathspec-from-file=-', '--pathspec-file-nul'] as const
  await git.run(['--literal-pathspecs', ...author, ...commit, ...byList], { input: changed.join('\0') })
  return `committed ${what}`
}

/** Options that name who commits: nothing where git knows, ourselves where it does not. */
export async function authorOf({ git }: Pick<Repository, 'git'>): Promise<readonly string[]> {
  const { code } = await git.ask(['config', '--get', 'user.email'])
  return code === 0 ? [] : own
}
