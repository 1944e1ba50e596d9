import { constants } from 'node:os'
import { dirname } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import { foreignVariables } from './foreign-variables.js'
import { runGroup } from './run-group.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'>

/** Why git did not do what was asked, in words for whoever asked. */
export class GitFault extends Error {
  override name = 'GitFault'
  /** It was ended in the middle of its work: by a signal, or by a disk that took no more. */
  readonly isCutShort: boolean

  constructor(message: string, { isCutShort = false }: { isCutShort?: boolean } = {}) {
    super(message)
    this.isCutShort = isCutShort
  }
}

export interface GitCall {
  /** Where it runs instead of the workspace. */
  cwd?: string
  /** Written to its standard input. */
  input?: string
  /** How long it may take. */
  timeoutMs?: number
  /** The ssh that it calls a remote with. */
  ssh?: string
}

export interface GitEnd {
  code: number
  stdout: string
  /** The same as bytes. */
  bytes: Buffer
  /** What it said to people, without credentials. */
  words: string
}

/** The `git` of the daemon's PATH in the workspace; nothing of a repository's own hooks is run. */
export interface Git {
  /** @returns what it wrote. @throws GitFault with its own words when it fails. */
  run(args: readonly string[], call?: GitCall): Promise<string>
  /** The same, for commands whose exit code is an answer. @throws GitFault when it is missing or takes too long. */
  ask(args: readonly string[], call?: GitCall): Promise<GitEnd>
  /** As `run`, for commands that call a remote: longer, and with the ssh that the repository names. */
  call(args: readonly string[]): Promise<string>
}

const localMs = 60_000
const remoteMs = 120_000
const maxOutputBytes = 32 * 1024 * 1024

/** What holds for every call (operations.md 1.4). */
const always = [
  ...['-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.quotePath=false'],
  ...['-c', 'commit.gpgSign=false'],
  ...['-c', 'gc.autoDetach=false'],
  ...['-c', 'maintenance.autoDetach=false'],
  ...['-c', 'protocol.ext.allow=never'],
  ...['-c', 'submodule.recurse=false'],
]

/** @param signal ends what runs, when the daemon ends. */
export function createGit(deps: Deps, signal: AbortSignal): Git {
  const { root } = deps.paths
  const ask: Git['ask'] = async (args, { cwd, input, timeoutMs = localMs, ssh } = {}) => {
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
    let outputBytes = 0
    const end = await runGroup(deps, {
      command: ['git', ...always, ...args],
      cwd: cwd ?? root,
      env: {
        ...gitEnvironment(deps.environment, ssh),
        // Where the workspace has no repository, or half of one, git would take that of a folder above it.
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
        `git ${args[0]} did not end within ${timeoutMs / 1000} s; is the remote there?`,
        cutShort,
      )
    if (end.status === 'cancelled') throw new GitFault('the daemon is stopping', cutShort)
    const bytes = Buffer.concat(output.stdout)
    const words = wordsOf(Buffer.concat(output.stderr).toString())
    return { code: end.code, stdout: bytes.toString(), bytes, words }
  }
  const run: Git['run'] = async (args, call) => {
    const end = await ask(args, call)
    return end.code === 0 ? end.stdout : refuse(args, end)
  }
  const call: Git['call'] = async args => {
    const named = (await ask(['config', '--get', 'core.sshCommand'])).stdout.trim()
    return run(args, { timeoutMs: remoteMs, ...(named && { ssh: named }) })
  }
  return { run, ask, call }
}

/** @throws GitFault with what git said, and what there is to do where it was not let in, or had no room. */
export function refuse(args: readonly string[], { code, words }: GitEnd): never {
  const name = args.find(word => !word.startsWith('-') && !word.includes('='))
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - signalBase)?.[0]
  const said = words || (signal ? `ended by ${signal}` : `ended with code ${code}`)
  const isFull = signal === 'SIGXFSZ' || noRoom.test(said)
  const advice = isFull ? `; ${howToGetRoom}` : notLetIn.test(said) ? `; ${howToGetIn}` : ''
  throw new GitFault(`git ${name}: ${said}${advice}`, { isCutShort: isFull || signal !== undefined })
}

const cutShort = { isCutShort: true }
/** Exit codes beyond are of programs that a signal ended. */
const signalBase = 128
/** Git does not always tell why a file could not be written. */
const noRoom =
  /no space left|file too large|quota exceeded|read-only file system|unable to (?:write|create)(?! .*file exists)|could not write|write error|unable to (?:append|flush)|failed to write/iu
const howToGetRoom =
  'the disk did not take it: make room, then try again; nothing of yours is lost, and what was begun is finished first'

const notLetIn =
  /could not read (?:username|password)|terminal prompts disabled|authentication failed|permission denied|host key verification failed/iu
const howToGetIn =
  'the remote asks for a password or a key, and the daemon can type none: run git fetch in the workspace once, with a credential helper of git or a key that ssh-agent holds'

/** Asks nobody, opens no editor, and takes no repository but that of the folder. */
function gitEnvironment(environment: NodeJS.ProcessEnv, named = 'ssh'): NodeJS.ProcessEnv {
  const { GIT_SSH_COMMAND: ssh = named } = environment
  const own = Object.entries(foreignVariables(environment)).filter(([name]) => !name.startsWith('GIT_'))
  return {
    ...Object.fromEntries(own),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_SSH_COMMAND: `${ssh} -oBatchMode=yes -oConnectTimeout=10`,
    LC_ALL: 'C',
  }
}

/** What git said, on one line; an address keeps no user and no password. */
function wordsOf(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/u)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('hint:'))
  return clip(withoutCredentials(lines.join(' ')), 1000)
}

/** An address without user and password. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/giu, '$1')
}
