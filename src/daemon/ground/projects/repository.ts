import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { readForeignText } from '../../../lib/files/open-foreign.js'
import { originOf, type ShortAddress, shortAddressesIn } from './git-settings.js'

/** A git repository, read from its files without running git. */
export interface Repository {
  /** The folder of this working tree's own HEAD. */
  gitDir: string
  /** The folder that all worktrees of a repository share. */
  commonDir: string
  /** The main working tree; undefined for a bare repository. */
  mainTree: string | undefined
  /** Address of the remote `origin`, as the repository's settings spell it. */
  remote: string | undefined
  /** The short forms of addresses that the repository's own settings define. */
  shortAddresses: readonly ShortAddress[]
}

/** The branch and commit that a working tree has checked out. */
export interface Head {
  branch: string | null
  commit: string | null
}

const maxConfigBytes = 256 * 1024
const maxRefBytes = 4096
const maxPackedRefsBytes = 4 * 1024 * 1024
const maxLogBytes = 1024 * 1024

/** Returns the repository whose working tree or bare folder is `folder` itself; else undefined. */
export async function repositoryAt(folder: string): Promise<Repository | undefined> {
  const gitDir = await gitDirOf(folder)
  return gitDir === undefined ? undefined : describe(gitDir)
}

async function gitDirOf(folder: string): Promise<string | undefined> {
  const dotGit = join(folder, '.git')
  const kind = await stat(dotGit).catch(() => undefined)
  if (kind?.isDirectory()) return dotGit
  if (kind?.isFile()) {
    // A worktree or a submodule names its folder in a file.
    const target = /^gitdir: (.+)$/mu.exec(await textOf(dotGit, maxRefBytes))?.[1]?.trim()
    return target && from(folder, target)
  }
  const isBare = await stat(join(folder, 'HEAD')).catch(() => undefined)
  return isBare?.isFile() && (await stat(join(folder, 'objects')).catch(() => undefined))?.isDirectory()
    ? folder
    : undefined
}

async function describe(gitDir: string): Promise<Repository> {
  const shared = (await textOf(join(gitDir, 'commondir'), maxRefBytes)).trim()
  const commonDir = shared ? from(gitDir, shared) : gitDir
  const config = await textOf(join(commonDir, 'config'), maxConfigBytes)
  const isBare = /^[ \t]*bare[ \t]*=[ \t]*true[ \t]*$/mu.test(config)
  const worktree = /^[ \t]*worktree[ \t]*=(.+)$/mu.exec(config)?.[1]?.trim()
  const beside = basename(commonDir) === '.git' && !isBare ? dirname(commonDir) : undefined
  return {
    gitDir,
    commonDir,
    mainTree: worktree ? from(commonDir, worktree) : beside,
    remote: originOf(config),
    shortAddresses: shortAddressesIn(config),
  }
}

/** Returns what a working tree has checked out; nulls when it cannot be read. */
export async function headOf(repository: Repository): Promise<Head> {
  const head = (await textOf(join(repository.gitDir, 'HEAD'), maxRefBytes)).trim()
  const ref = /^ref: (refs\/heads\/(\S+))$/u.exec(head)
  if (!ref) return { branch: null, commit: isCommit(head) ? head : null }
  const [, name = '', branch = ''] = ref
  return { branch, commit: await commitOf(repository, name) }
}

/** Returns the commit of a ref such as `refs/heads/main`; null when there is none. */
export async function commitOf({ commonDir }: Repository, name: string): Promise<string | null> {
  if (name.includes('..')) return null
  const loose = (await textOf(join(commonDir, name), maxRefBytes)).trim()
  if (isCommit(loose)) return loose
  const packed = await textOf(join(commonDir, 'packed-refs'), maxPackedRefsBytes)
  const line = packed.split('\n').find(one => one.endsWith(` ${name}`))
  const commit = line?.slice(0, line.indexOf(' ')) ?? ''
  return isCommit(commit) ? commit : null
}

/** Returns the name of the default branch of `origin`, else `main` or `master`, whichever there is. */
export async function defaultBranch(repository: Repository): Promise<string | undefined> {
  const remote = await textOf(join(repository.commonDir, 'refs/remotes/origin/HEAD'), maxRefBytes)
  const named = /^ref: refs\/remotes\/origin\/(\S+)\s*$/u.exec(remote)?.[1]
  if (named) return named
  for (const name of ['main', 'master']) if ((await commitsOfBranch(repository, name)).length > 0) return name
  return undefined
}

/** Returns the commits of a branch here and at `origin`. */
export async function commitsOfBranch(repository: Repository, branch: string): Promise<string[]> {
  const refs = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`]
  const commits = await Promise.all(refs.map(ref => commitOf(repository, ref)))
  return [...new Set(commits.filter(commit => commit !== null))]
}

/** Returns the commit at which a branch was created here; undefined when git kept no record of it. */
export async function startOfBranch({ commonDir }: Repository, branch: string): Promise<string | undefined> {
  if (branch.includes('..')) return undefined
  const log = await textOf(join(commonDir, 'logs/refs/heads', branch), maxLogBytes)
  const commit = /^[0-9a-f]+ (?<commit>[0-9a-f]+) /u.exec(log)?.groups?.commit ?? ''
  return isCommit(commit) ? commit : undefined
}

/** Time for git to walk to the first commit; a longer history identifies a project by its folder. */
const firstCommitMs = 3000

type GitQuestion = 'rev-list' | 'merge-base'

interface GitAnswer {
  code: number
  stdout: string
}

/** Asks git about a repository. Git runs nothing that the repository names (security.md#foreign-folders). */
export interface GitQuestions {
  /** @throws when git is missing or takes too long */
  ask(command: GitQuestion, args: readonly string[], call: { timeoutMs: number }): Promise<GitAnswer>
}

/** Returns git for a repository's own folder. */
export type GitOf = (gitDir: string) => GitQuestions

/** Returns the first commit of a repository, which all its clones share; undefined if git does not tell. */
export type FirstCommit = (repository: Repository) => Promise<string | undefined>

interface FirstCommitOptions {
  gitOf: GitOf
  now(): number
}

const maxFirstCommits = 1000
/** Time until git is asked again after it gave no answer, or for a repository whose HEAD cannot be read. */
const askAgainMs = 60_000

/**
 * Creates a function that asks git once per commit checked out: reads, which add no project, would ask each
 * time. It returns undefined for a shallow clone, a repository without commits, and without git.
 */
export function createFirstCommit({ gitOf, now }: FirstCommitOptions): FirstCommit {
  const answers = new Map<string, { commit: Promise<string | undefined>; until: number }>()
  return async repository => {
    const { commonDir } = repository
    if (await stat(join(commonDir, 'shallow')).catch(() => undefined)) return undefined
    const head = await headOf({ ...repository, gitDir: commonDir })
    const name = `${head.commit} ${commonDir}`
    const known = answers.get(name)
    if (known && now() < known.until) return known.commit
    if (answers.size >= maxFirstCommits) answers.clear()
    const answer = { commit: askFirstCommit(repository, gitOf), until: Number.POSITIVE_INFINITY }
    answers.set(name, answer)
    const commit = await answer.commit
    if (commit === undefined || head.commit === null) answer.until = now() + askAgainMs
    return commit
  }
}

async function askFirstCommit({ commonDir }: Repository, gitOf: GitOf): Promise<string | undefined> {
  const args = ['--max-parents=0', 'HEAD', '--']
  const end = await askIfPossible(gitOf(commonDir), 'rev-list', args, firstCommitMs)
  const commit = end?.stdout.trim().split('\n').at(-1) ?? ''
  return end?.code === 0 && isCommit(commit) ? commit : undefined
}

/** Returns whether a commit is part of another's history; undefined when git cannot say so in time. */
export async function isAncestor(
  { commonDir }: Repository,
  { commit, of }: { commit: string; of: string },
  { gitOf, timeoutMs }: { gitOf: GitOf; timeoutMs: number },
): Promise<boolean | undefined> {
  const args = ['--is-ancestor', commit, of]
  const end = await askIfPossible(gitOf(commonDir), 'merge-base', args, timeoutMs)
  return end?.code === 0 ? true : end?.code === 1 ? false : undefined
}

/** Returns git's answer; undefined when git is missing or takes too long. */
function askIfPossible(
  git: GitQuestions,
  command: GitQuestion,
  args: readonly string[],
  timeoutMs: number,
): Promise<GitAnswer | undefined> {
  return git.ask(command, args, { timeoutMs }).catch(() => undefined)
}

function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text)
}

function from(folder: string, path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(folder, path)
}

async function textOf(file: string, maxBytes: number): Promise<string> {
  return (await readForeignText(file, { maxBytes })) ?? ''
}
