import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Ground } from '../../ground/ground.js'
import { noteGroup } from './group-records.js'
import { endGroup, groupLives } from './process-group.js'

/** Output may follow the end of a program, out of pipes that others hold: for as long as it comes, up to the limit. */
const quietMs = 250
const afterEndMs = 2000
/** What `timeout(1)` ends with. */
const timedOutCode = 124

type Deps = Pick<Ground, 'paths' | 'log'>

export interface GroupOptions {
  /** A line for the system's shell, or a program with its arguments, which no shell sees. */
  command: string | readonly [program: string, ...args: string[]]
  cwd: string
  /** The whole environment of the program; nothing of the daemon's own is added. */
  env: NodeJS.ProcessEnv
  timeoutMs: number
  /** What it reads from its standard input; without it there is nothing to read. */
  input?: string
  signal?: AbortSignal
  /**
   * Gets what the program writes, as it comes; the program waits while a promise is pending, and so does the end. It has
   * to resolve once the signal aborts.
   */
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void | Promise<void>
}

export interface GroupEnd {
  status: 'exited' | 'timed_out' | 'cancelled' | 'not_started'
  /** Exit code; 124 after a time-out, 128 and the signal's number for a program that a signal ended, -1 if not started. */
  code: number
  durationMs: number
  /** Why it was not started. */
  error?: string
  /** It was not started since there is no such program on the PATH of the daemon. */
  isMissing?: boolean
  /** Resolves when nothing of the group is left; that may be later than the end of the program. */
  gone: Promise<void>
}

/**
 * Runs a program in a process group of its own, and ends the whole group: after its time, when
 * the signal aborts, and whatever it left running when it ends. After a time-out or an abort the group is asked
 * (SIGTERM) and after five seconds killed. Groups that a killed daemon leaves are ended at the next start.
 * @throws what `onOutput` throws, once the group has ended.
 */
export async function runGroup(deps: Deps, options: GroupOptions): Promise<GroupEnd> {
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  const gone = Promise.resolve()
  // Loaded with the first program: few daemons run any.
  const { execa } = await import('execa')
  if (options.signal?.aborted) return { status: 'cancelled', code: -1, durationMs: 0, gone }
  const child = spawn(execa, options)
  if (child.pid === undefined) {
    const { originalMessage: error = '', code } = await child
    const isMissing = code === 'ENOENT' && existsSync(options.cwd)
    return { status: 'not_started', code: -1, durationMs: durationMs(), error, isMissing, gone }
  }
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
  const forget = noteGroup(deps, child.pid)
  const leash = keepLeash(child.pid, options)
  const output = readOutput([child.stdout, child.stderr], options.onOutput, leash.stop)
  const [code, signal] = await ended
  leash.release()
  await output.settled()
  // What is left of the group is ended without keeping the caller; its note stays until then.
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

function spawn(execa: typeof import('execa').execa, { command, cwd, env, input }: GroupOptions) {
  const [program, args] = typeof command === 'string' ? [command, []] : [command[0], command.slice(1)]
  return execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    shell: typeof command === 'string',
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    buffer: false,
    encoding: 'buffer',
    reject: false,
    cleanup: false,
  })
}

interface Leash {
  why(): 'timed_out' | 'cancelled' | undefined
  stop(why: 'timed_out' | 'cancelled'): void
  release(): void
}

/** Ends the group when its time is over or nobody waits for it any more. */
function keepLeash(leader: number, { timeoutMs, signal }: GroupOptions): Leash {
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

interface Output {
  /** Resolves when both streams are read to their end, or nothing comes any more. To be called once the program ended. */
  settled(): Promise<void>
  failure(): unknown
}

function readOutput(
  [stdout, stderr]: readonly [Readable, Readable],
  onOutput: GroupOptions['onOutput'],
  stop: Leash['stop'],
): Output {
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
      // A loop that was held up meets its timers before what lies in the pipes.
      await nextTurn()
    } while (
      // Who reads slowly gets all that was written.
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
