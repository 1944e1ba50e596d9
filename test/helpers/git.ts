import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, temporaryWorkspace } from './daemon.js'

/** An environment without the Git settings of the person who runs the tests. */
export function gitOnly(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
}

/** Runs git in a folder. @returns its output, trimmed. */
export function gitIn(folder: string, ...args: string[]): string {
  const env = { ...gitOnly(folder), GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@t', GIT_COMMITTER_NAME: 'T' }
  return execFileSync('git', args, {
    cwd: folder,
    env: { ...env, GIT_COMMITTER_EMAIL: 't@t' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** An empty repository to push to and pull from. */
export function bareRepository(t: ExecutionContext): string {
  const folder = temporaryWorkspace(t)
  gitIn(folder, 'init', '--quiet', '--bare', '--initial-branch=main')
  return folder
}

/** Starts a daemon with Git, without the settings of the person who runs the tests. */
export async function startWithGit(
  t: ExecutionContext,
  settings: Record<string, unknown> = {},
  workspace?: string,
): Promise<TestDaemon> {
  const environment = gitOnly(temporaryWorkspace(t))
  return startDaemon(t, { settings, environment, ...(workspace !== undefined && { workspace }) })
}

/** Like {@link startWithGit} in a repository with a first commit, and with a remote if one is given. */
export async function startInRepository(t: ExecutionContext, remoteUrl?: string): Promise<TestDaemon> {
  const daemon = await startWithGit(t)
  const { body } = await daemon.call('POST /api/git/init', { body: { remoteUrl } })
  t.like(body, { success: true, created: true })
  return daemon
}

/** Writes a file of a workspace and creates missing folders. */
export function put({ paths }: Pick<TestDaemon, 'paths'>, path: string, content: string | Buffer): void {
  const file = join(paths.root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

export function textAt({ paths }: Pick<TestDaemon, 'paths'>, path: string): string {
  return readFileSync(join(paths.root, path), 'utf8')
}

/** Paths in a revision, by default the tip of main. */
export function filesAt(folder: string, revision = 'main'): string[] {
  return gitIn(folder, 'ls-tree', '-r', '--name-only', revision).split('\n').filter(Boolean)
}
