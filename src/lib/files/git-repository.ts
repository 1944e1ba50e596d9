import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

/** A git repository as far as files tell; nothing is run. */
export interface GitRepository {
  /** The folder that all worktrees of a repository share. */
  commonDir: string
  /** The main working tree; undefined for a bare repository. */
  mainTree: string | undefined
  /** Address of the remote `origin`. */
  remote: string | undefined
}

/** @returns the repository that a folder belongs to, from itself upwards; undefined when there is none. */
export async function findRepository(folder: string): Promise<GitRepository | undefined> {
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
