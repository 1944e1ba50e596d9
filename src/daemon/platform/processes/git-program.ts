import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { Ground } from '../../ground/ground.js'
import { desktopVariables, passedVariables, runGroup } from './run-group.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'>

/** Why git failed, in words for people. */
export class GitFault extends Error {
  override name = 'GitFault'
  /** Git was interrupted by a signal or a full disk. */
  readonly isCutShort: boolean

  constructor(message: string, { isCutShort = false }: { isCutShort?: boolean } = {}) {
    super(message)
    this.isCutShort = isCutShort
  }
}

export interface GitCall {
  /** Working folder instead of the workspace. */
  cwd?: string
  /** Written to its standard input. */
  input?: string | Uint8Array
  /** Time limit. */
  timeoutMs?: number
  /** The ssh command for remotes. */
  ssh?: string
  /** More options of git itself. */
  options?: readonly string[]
  /** More variables for git. */
  variables?: Readonly<Record<string, string>>
}

export interface GitEnd {
  code: number
  stdout: string
  /** The same as bytes. */
  bytes: Buffer
  /** Git's message for people, without credentials. */
  words: string
}

/** The `git` on the daemon's PATH, run in the workspace; hooks of the repository are not run. */
export interface Git {
  /** @returns git's output. @throws GitFault with git's message when it fails */
  run(args: readonly string[], call?: GitCall): Promise<string>
  /**
   * The same for commands whose exit code is an answer. @throws GitFault when git is missing or takes too
   * long
   */
  ask(args: readonly string[], call?: GitCall): Promise<GitEnd>
  /**
   * As `run`, for commands that contact a remote: with a longer time limit, and the repository's ssh command.
   */
  call(args: readonly string[]): Promise<string>
}

const localMs = 60_000
const remoteMs = 120_000
const maxOutputBytes = 32 * 1024 * 1024

/** Options of every call that don't depend on the system (operations.md 1.4). */
const commonOptions = [
  ...['-c', 'credential.interactive=false'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.quotePath=false'],
  // New files are committed as not executable, since a pull takes no programs.
  ...['-c', 'core.fileMode=false'],
  ...['-c', 'commit.gpgSign=false'],
  ...['-c', 'gc.autoDetach=false'],
  ...['-c', 'maintenance.autoDetach=false'],
  ...['-c', 'protocol.ext.allow=never'],
  ...['-c', 'submodule.recurse=false'],
]

/**
 * Options of every call. Windows has no /dev/null: every user may make C:\dev\null with hooks in it, so there
 * the folder of hooks is one below ours that never exists.
 */
export function gitOptions(
  { daemonDir }: Pick<WorkspacePaths, 'daemonDir'>,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const hooks = platform === 'win32' ? join(daemonDir, 'no-hooks') : '/dev/null'
  return ['-c', `core.hooksPath=${hooks}`, ...commonOptions]
}

/** Git and its credential helpers ask nobody: a window of the daemon would open from nowhere. */
export const unaskedGit = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GCM_GUI_PROMPT: 'false',
} as const

/** @param signal ends running commands when the daemon ends */
export function createGit(deps: Deps, signal: AbortSignal): Git {
  const { root } = deps.paths
  const common = gitOptions(deps.paths)
  const ask: Git['ask'] = async (args, call = {}) => {
    const { cwd, input, timeoutMs = localMs, ssh, options = [], variables } = call
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
    let outputBytes = 0
    const end = await runGroup(deps, {
      command: ['git', ...common, ...options, ...args],
      cwd: cwd ?? root,
      env: {
        ...gitEnvironment(deps.environment, ssh),
        ...variables,
        // When the workspace has no complete repository, git must not use that of a folder above.
        ...(cwd === undefined && { GIT_CEILING_DIRECTORIES: dirname(root) }),
      },
      timeoutMs,
      signal,
      ...(input !== undefined && { input }),
      onOutput: (stream, chunk) => {
        outputBytes += chunk.length
        if (outputBytes > maxOutputBytes) throw new GitFault('git answered with more than 32 MiB')
        output[stream].push(chunk)
      },
    })
    if (end.status === 'not_started')
      throw new GitFault(
        end.isMissing
          ? 'git is not on the PATH of the daemon; install it, then memory daemon restart'
          : `git could not be started: ${clip(end.error ?? '', 300)}`,
      )
    if (end.status === 'timed_out')
      throw new GitFault(
        `git ${args[0]} did not finish within ${timeoutMs / 1000} s; is the remote reachable?`,
        cutShort,
      )
    if (end.status === 'cancelled') throw new GitFault('the daemon is stopping', cutShort)
    const bytes = Buffer.concat(output.stdout)
    const words = wordsOf(Buffer.concat(output.stderr).toString())
    return { code: end.code, stdout: bytes.toString(), bytes, words }
  }
  const run: Git['run'] = async (args, call) => {
    const end = await ask(args, call)
    return end.code === 0 ? end.stdout : throwGitFault(args, end)
  }
  const call: Git['call'] = async args => {
    const named = (await ask(['config', '--get', 'core.sshCommand'])).stdout.trim()
    return run(args, { timeoutMs: remoteMs, ...(named && { ssh: named }) })
  }
  return { run, ask, call }
}

/** @throws GitFault with git's message, and advice on missing access or space */
export function throwGitFault(args: readonly string[], { code, words }: GitEnd): never {
  const name = args.find(word => !word.startsWith('-') && !word.includes('='))
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - signalBase)?.[0]
  const said = words || (signal ? `ended by ${signal}` : `ended with code ${code}`)
  const isFull = signal === 'SIGXFSZ' || spacePattern.test(said)
  const advice = isFull ? `; ${spaceAdvice}` : accessPattern.test(said) ? `; ${accessAdvice}` : ''
  throw new GitFault(`git ${name}: ${said}${advice}`, { isCutShort: isFull || signal !== undefined })
}

const cutShort = { isCutShort: true }
/** Exit codes above this belong to programs that a signal ended. */
const signalBase = 128
/** Git does not always say why a file could not be written. */
const spacePattern =
  /no space left|file too large|quota exceeded|read-only file system|unable to (?:write|create)(?! .*file exists)|could not write|write error|unable to (?:append|flush)|failed to write/iu
const spaceAdvice =
  'the disk is full: free space, then try again; nothing is lost, and the interrupted action is finished first'

const accessPattern =
  /could not read (?:username|password)|terminal prompts disabled|authentication failed|permission denied|host key verification failed/iu
const accessAdvice =
  'the remote needs a password or key, which the daemon cannot enter: run git fetch once in the workspace, with a git credential helper or a key in ssh-agent'

/** No prompts, no editor, and only the repository of the folder. */
function gitEnvironment(environment: NodeJS.ProcessEnv, named = 'ssh'): NodeJS.ProcessEnv {
  const { GIT_SSH_COMMAND: ssh = named } = environment
  return {
    ...passedVariables(environment, desktopVariables),
    ...unaskedGit,
    SSH_ASKPASS: '',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_SSH_COMMAND: `${ssh} -oBatchMode=yes -oConnectTimeout=10`,
    LC_ALL: 'C',
  }
}

/** Git's message on one line, without user and password in addresses. */
function wordsOf(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/u)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('hint:'))
  return clip(withoutCredentials(lines.join(' ')), 1000)
}

/** Removes user and password from addresses. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/]+@/giu, '$1')
}
