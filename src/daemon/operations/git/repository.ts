import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { GitStatus } from '../../../contract/operations/git.js'
import type { Settings } from '../../../contract/settings.js'
import { type OneAtATime, oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Ground } from '../../ground/ground.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { createGit, type Git, GitFault, throwGitFault } from '../../platform/processes/git-program.js'
import { findChanges } from './committable.js'

type Deps = Pick<Ground, 'paths' | 'configuration'>

/** The workspace's repository in a state that allows changes. */
export interface Repository {
  git: Git
  root: string
  /** Path of its `.git` folder. */
  gitDir: string
  settings: Settings['git']
}

/** Operations that a person started and did not finish, by git's marker file. */
const unfinished = {
  MERGE_HEAD: 'a merge',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
} as const

/** Git of one daemon: commands run one after another; the last outcome is remembered. */
export interface GitOfDaemon {
  git: Git
  inLine: OneAtATime
  lastRun: GitStatus['lastRun']
  /** Starts a new timer interval now. */
  restartTimer(): void
}

const kept = createDaemonState<GitOfDaemon>()

/** True when the workspace itself is a repository; an enclosing repository is not ours. */
export function isRepository({ paths }: Pick<Ground, 'paths'>): boolean {
  return existsSync(join(paths.root, '.git'))
}

/**
 * The git folder of a workspace that {@link isRepository}; undefined when it is incomplete, so that git
 * rejects it or finds the repository of a folder above.
 * @throws GitFault with git's message when the repository may be complete.
 */
export async function gitDirOf({ paths }: Pick<Ground, 'paths'>, git: Git): Promise<string | undefined> {
  const asked = ['rev-parse', '--show-prefix', '--absolute-git-dir']
  const end = await git.ask(asked)
  if (end.code !== 0)
    return end.words.includes('not a git repository') ? undefined : throwGitFault(asked, end)
  const [prefix = '', folder = ''] = end.stdout.split('\n')
  return prefix === '' ? resolve(paths.root, folder) : undefined
}

/**
 * Opens the repository on the configured branch (operations.md 1.3).
 * @throws GitFault that says what to do: no repository, no or another branch, a merge or rebase in progress.
 */
export async function openRepository(deps: Deps, git: Git): Promise<Repository> {
  const { root } = deps.paths
  if (!isRepository(deps)) throw new GitFault(`${root} is not a git repository; run: memory git init`)
  const settings = deps.configuration().settings.git
  const gitDir = await gitDirOf(deps, git)
  if (gitDir === undefined)
    throw new GitFault(
      `git does not recognise ${join(root, '.git')} as a repository; memory git init completes it`,
    )
  for (const [file, what] of Object.entries(unfinished))
    if (existsSync(join(gitDir, file)))
      throw new GitFault(`${what} is in progress in ${root}; finish or abort it with git`)
  const { stdout } = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD'])
  const branch = stdout.trim()
  if (branch === '') throw new GitFault(`HEAD is detached in ${root}; run: git switch ${settings.branch}`)
  if (branch !== settings.branch)
    throw new GitFault(
      `the repository is on ${branch}, the settings say ${settings.branch}; run: memory git config --branch ${branch}`,
    )
  return { git, root, gitDir, settings }
}

/** Id of the commit with a name, or undefined. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const { code, stdout } = await git.ask(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  return code === 0 ? stdout.trim() : undefined
}

/** Address of the configured remote. @throws GitFault when there is none. */
export async function remoteAddress({
  git,
  settings,
}: Pick<Repository, 'git' | 'settings'>): Promise<string> {
  const { code, stdout } = await git.ask(['config', '--get', `remote.${settings.remote}.url`])
  if (code === 0 && stdout.trim() !== '') return stdout.trim()
  throw new GitFault(
    `remote ${settings.remote} not found; run: git remote add ${settings.remote} ADDRESS, or memory git config --remote NAME`,
  )
}

/** Author of commits when git has none configured. */
const own = ['-c', 'user.name=memory-service', '-c', 'user.email=memory-service@localhost'] as const

/**
 * Commits the changes that may be committed; other staged changes stay staged.
 * @returns a line that says what was committed; undefined when there was nothing.
 * @throws GitFault
 */
export async function commitChanges(repository: Repository): Promise<string | undefined> {
  const { git, root } = repository
  const { files } = await findChanges(git, root)
  if (files.length === 0) return undefined
  // `git add` rejects the path of a deletion that is already staged, so exact paths go to `update-index`.
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

/** Options that set the author; none when git has one configured. */
export async function authorOf({ git }: Pick<Repository, 'git'>): Promise<readonly string[]> {
  const { code } = await git.ask(['config', '--get', 'user.email'])
  return code === 0 ? [] : own
}

/** @param signal ends running git commands */
export function openGit(daemon: Daemon, signal: AbortSignal, restartTimer: () => void): GitOfDaemon {
  return kept.keep(daemon, {
    git: createGit(daemon, signal),
    inLine: oneAtATime(),
    lastRun: null,
    restartTimer,
  })
}

/** @throws AppError `starting` before the daemon is ready. */
export function gitOf(daemon: Daemon): GitOfDaemon {
  return kept.of(daemon)
}
