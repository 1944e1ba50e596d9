import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Ground } from '../../ground/ground.js'
import { endGroup, groupLives, noteGroup } from './process-group.js'

/**
 * Output may continue after a program's end, from pipes that its children keep open: it is read while it
 * comes, up to the limit.
 */
const quietMs = 250
const afterEndMs = 2000
/** The exit code of `timeout(1)`. */
const timedOutCode = 124

type Deps = Pick<Ground, 'paths' | 'log'>

export interface GroupOptions {
  /** A line for the system's shell, or a program with arguments, without a shell. */
  command: string | readonly [program: string, ...args: string[]]
  cwd: string
  /** The program's whole environment; nothing of the daemon's own is added. */
  env: NodeJS.ProcessEnv
  timeoutMs: number
  /** Its standard input, empty by default: all of it, or a function that keeps writing. */
  input?: string | Uint8Array | ((stdin: Writable) => void)
  signal?: AbortSignal
  /**
   * Receives the program's output as it comes. The program waits while a returned promise is pending. The
   * promise must resolve once the signal aborts.
   */
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void | Promise<void>
}

export interface GroupEnd {
  status: 'exited' | 'timed_out' | 'cancelled' | 'not_started'
  /** Exit code; 124 after a time-out, 128 plus the signal's number after a signal, -1 if not started. */
  code: number
  durationMs: number
  /** Why it was not started. */
  error?: string
  /** True when the program is not on the daemon's PATH. */
  isMissing?: boolean
  /** Resolves when nothing of the group is left, which may be later than the program's end. */
  gone: Promise<void>
}

/** Environment variables that programs need for files, tools, language and network (secret-commands.md 3). */
const passed: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|LANG|LANGUAGE|NO_COLOR|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY)$/,
  /^(LC|XDG)_/,
  /^(HTTP|HTTPS|FTP|ALL|NO)_PROXY$/i,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/,
  // Windows programs need these.
  /^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?|PROGRAMW6432|COMMONPROGRAMFILES|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS)$/i,
]

/** Needed by desktops: the session bus, where keyrings are, and the right to draw. */
export const desktopVariables = /^(DBUS_SESSION_BUS_ADDRESS|XAUTHORITY)$/

/** Package managers find themselves and their packages with these. Registry credentials stay in files. */
export const packageVariables =
  /^(npm_config_(?!.*(?:auth|token|password|secret))\w+|NVM_(DIR|BIN)|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|COREPACK_HOME|VIRTUAL_ENV)$/i

/**
 * Runs a program in its own process group and ends the whole group: after its time, when the signal aborts,
 * and whatever is left when the program ends. A time-out or abort sends SIGTERM, and SIGKILL after five
 * seconds. Groups left by a killed daemon are ended at the next start.
 * @throws errors of `onOutput`, once the group has ended
 */
export async function runGroup(deps: Deps, options: GroupOptions): Promise<GroupEnd> {
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  const gone = Promise.resolve()
  // Loaded with the first program, since few daemons run any.
  const { execa } = await import('execa')
  if (options.signal?.aborted) return { status: 'cancelled', code: -1, durationMs: 0, gone }
  const child = startWith(execa, options)
  if (child.pid === undefined) {
    const { originalMessage: error = '', code } = await child
    const isMissing = code === 'ENOENT' && existsSync(options.cwd)
    return { status: 'not_started', code: -1, durationMs: durationMs(), error, isMissing, gone }
  }
  if (typeof options.input === 'function' && child.stdin) options.input(child.stdin)
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
  const forget = noteGroup(deps, child.pid)
  const leash = limitGroup(child.pid, options)
  const output = readOutput([child.stdout, child.stderr], options.onOutput, leash.stop)
  const [code, signal] = await ended
  leash.release()
  await output.settled()
  // The rest of the group is ended without delaying the caller; its record stays until then.
  const left = (groupLives(child.pid) ? endGroup(child.pid) : gone).then(forget)
  if (output.failure() !== undefined) throw output.failure()
  const status = leash.why() ?? 'exited'
  return {
    status,
    code: status === 'timed_out' ? timedOutCode : codeOf(code, signal),
    durationMs: durationMs(),
    gone: left,
  }
}

function startWith(execa: typeof import('execa').execa, { command, cwd, env, input }: GroupOptions) {
  const [program, args] = typeof command === 'string' ? [command, []] : [command[0], command.slice(1)]
  return execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    shell: typeof command === 'string',
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...inputOf(input),
    buffer: false,
    encoding: 'buffer',
    reject: false,
    cleanup: false,
  })
}

function inputOf(
  input: GroupOptions['input'],
): { stdin: 'ignore' | 'pipe' } | { input: string | Uint8Array } {
  if (input === undefined) return { stdin: 'ignore' }
  return typeof input === 'function' ? { stdin: 'pipe' } : { input }
}

interface GroupLimits {
  why(): 'timed_out' | 'cancelled' | undefined
  stop(why: 'timed_out' | 'cancelled'): void
  release(): void
}

/** Ends the group when its time is up or the signal aborts. */
function limitGroup(leader: number, { timeoutMs, signal }: GroupOptions): GroupLimits {
  const state: { why?: 'timed_out' | 'cancelled' } = {}
  const stop = (why: 'timed_out' | 'cancelled'): void => {
    if (state.why !== undefined) return
    state.why = why
    void endGroup(leader)
  }
  const cancel = (): void => stop('cancelled')
  signal?.addEventListener('abort', cancel, { once: true })
  const timer = setTimeout(() => stop('timed_out'), timeoutMs)
  return {
    why: () => state.why,
    stop,
    release: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    },
  }
}

interface OutputReader {
  /** Call it after the program's end. Resolves when both streams have ended, or nothing more comes. */
  settled(): Promise<void>
  failure(): unknown
}

function readOutput(
  [stdout, stderr]: readonly [Readable, Readable],
  onOutput: GroupOptions['onOutput'],
  stop: GroupLimits['stop'],
): OutputReader {
  const state = { lastAt: performance.now(), pending: 0, failure: undefined as unknown, closed: false }
  const read = async (stream: Readable, name: 'stdout' | 'stderr'): Promise<void> => {
    try {
      for await (const chunk of stream) {
        state.pending++
        try {
          await onOutput(name, chunk)
        } finally {
          state.pending--
        }
        state.lastAt = performance.now()
      }
    } catch (error) {
      if (state.closed) return
      state.failure ??= error
      stop('cancelled')
    }
  }
  const all = Promise.all([read(stdout, 'stdout'), read(stderr, 'stderr')]).then(() => true)
  const quiet = async (): Promise<boolean> => {
    const endedAt = performance.now()
    do {
      await sleep(quietMs)
      // A blocked event loop runs its timers before reading waiting pipe data.
      await nextTurn()
    } while (
      // A slow reader gets all output.
      state.pending > 0 ||
      (performance.now() - state.lastAt < quietMs && performance.now() - endedAt < afterEndMs)
    )
    return false
  }
  return {
    settled: async () => {
      if (await Promise.race([all, quiet()])) return
      state.closed = true
      stdout.destroy()
      stderr.destroy()
      await all
    },
    failure: () => state.failure,
  }
}

function codeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
}

/**
 * The environment for programs of others: only variables that are known to be harmless, so no key in the
 * daemon's environment reaches them.
 * @param also further names that a program needs
 */
export function passedVariables(environment: NodeJS.ProcessEnv, also?: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => passed.some(pattern => pattern.test(name)) || also?.test(name) === true,
    ),
  )
}
