import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { readForeignText } from '../../../lib/files/open-foreign.js'

/** A git repository, read from its files without running git. */
export interface Repository {
  /** The folder of this working tree's own HEAD. */
  gitDir: string
  /** The folder that all worktrees of a repository share. */
  commonDir: string
  /** The main working tree; undefined for a bare repository. */
  mainTree: string | undefined
  /** Address of the remote `origin`. */
  remote: string | undefined
}

/** The branch and commit that a working tree has checked out. */
export interface Head {
  branch: string | null
  commit: string | null
}

const maxConfigBytes = 256 * 1024
const maxRefBytes = 4096
const maxPackedRefsBytes = 4 * 1024 * 1024

/** Returns the repository whose working tree or bare folder is `folder` itself; undefined when it is not one. */
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
  }
}

function originOf(config: string): string | undefined {
  const section = /^[ \t]*\[remote "origin"\][ \t]*$([^[]*)/mu.exec(config)?.[1]
  return /^[ \t]*url[ \t]*=(.+)$/mu.exec(section ?? '')?.[1]?.trim()
}

/** Returns what a working tree has checked out; nulls when it cannot be read. */
export async function headOf({ gitDir, commonDir }: Repository): Promise<Head> {
  const head = (await textOf(join(gitDir, 'HEAD'), maxRefBytes)).trim()
  const ref = /^ref: (refs\/heads\/(\S+))$/u.exec(head)
  if (!ref) return { branch: null, commit: isCommit(head) ? head : null }
  const [, name = '', branch = ''] = ref
  return { branch, commit: name.includes('..') ? null : await commitOf(commonDir, name) }
}

async function commitOf(commonDir: string, name: string): Promise<string | null> {
  const loose = (await textOf(join(commonDir, name), maxRefBytes)).trim()
  if (isCommit(loose)) return loose
  const packed = await textOf(join(commonDir, 'packed-refs'), maxPackedRefsBytes)
  const line = packed.split('\n').find(one => one.endsWith(` ${name}`))
  const commit = line?.slice(0, line.indexOf(' ')) ?? ''
  return isCommit(commit) ? commit : null
}

/** Time for git to walk to the first commit; a longer history identifies a project by its folder. */
const firstCommitMs = 3000

/** Variables and options under which git runs nothing that a repository names, and asks nobody. */
const gitEnvironment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  LC_ALL: 'C',
}

/**
 * Returns the first commit of a repository, which all its clones share; undefined for a shallow clone, a
 * repository without commits, and without git.
 */
export async function firstCommit(
  { commonDir }: Repository,
  path: string | undefined,
): Promise<string | undefined> {
  if (await stat(join(commonDir, 'shallow')).catch(() => undefined)) return undefined
  const args = [
    ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat'],
    `--git-dir=${commonDir}`,
    ...['rev-list', '--max-parents=0', 'HEAD', '--'],
  ]
  return new Promise(resolvePromise => {
    execFile(
      'git',
      args,
      { env: { PATH: path, ...gitEnvironment }, timeout: firstCommitMs, windowsHide: true },
      (error, stdout) => {
        const commit = stdout.trim().split('\n').at(-1) ?? ''
        resolvePromise(!error && isCommit(commit) ? commit : undefined)
      },
    )
  })
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
