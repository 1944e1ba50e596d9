import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { clip } from '../../../lib/text/clip.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { foreignVariables } from '../processes/foreign-variables.js'
import { type GroupEnd, runGroup } from '../processes/run-group.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'>

export interface ProgramOptions {
  /** How users call the password manager. */
  product: string
  program: string
  /** Where it is to be had, for those who have not got it. */
  home: string
}

export interface ProgramCall {
  /** Tokens; they go nowhere but into the environment of the program. */
  env?: Record<string, string>
  /** Written to its standard input. */
  input?: string
}

/** The command of a password manager. */
export interface ProviderProgram {
  /**
   * @returns what it wrote to its standard output.
   * @throws AppError `provider_failed` with its own words; `conflict` where it is not on the daemon's PATH, which is no
   *   failure of anybody.
   */
  run(args: readonly string[], call?: ProgramCall): Promise<string>
  /**
   * @returns what it wrote, which is JSON of that shape.
   * @throws AppError `provider_failed` as `run` does, and for anything else; what it wrote may hold values and is not
   *   repeated.
   */
  json<T>(shape: z.ZodType<T>, args: readonly string[], call?: ProgramCall): Promise<T>
}

/** Before the clients of the daemon give up, at 30 s: theirs would be said in place of the reason. */
const deadlineMs = 25_000
const maxOutputBytes = 64 * 1024 * 1024
const maxWords = 500

/** One command at a time: both managers keep files that two of their own processes would fight over. */
export function createProviderProgram(deps: Deps, options: ProgramOptions): ProviderProgram {
  const inLine = oneAtATime()
  const run: ProviderProgram['run'] = (args, call = {}) => inLine(() => runOnce(deps, options, args, call))
  return {
    run,
    json: async (shape, args, call) => {
      const reply = shape.safeParse(jsonOf(await run(args, call)))
      if (reply.success) return reply.data
      const asked = args.slice(0, 2).join(' ')
      throw new AppError(
        'provider_failed',
        `${options.product} answered ${asked} in a form that is not known here`,
      )
    },
  }
}

async function runOnce(
  deps: Deps,
  options: ProgramOptions,
  args: readonly string[],
  { env = {}, input }: ProgramCall,
): Promise<string> {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  let bytes = 0
  const end = await runGroup(deps, {
    command: [options.program, ...args],
    cwd: deps.paths.root,
    env: { ...foreignVariables(deps.environment), ...env },
    timeoutMs: deadlineMs,
    ...(input !== undefined && { input }),
    onOutput: (stream, chunk) => {
      bytes += chunk.length
      if (bytes > maxOutputBytes)
        throw new AppError('provider_failed', `${options.product} answered with more than 64 MiB`)
      output[stream].push(chunk)
    },
  })
  const [stdout, stderr] = [output.stdout, output.stderr].map(chunks =>
    Buffer.concat(chunks).toString('utf8'),
  ) as [string, string]
  if (end.status === 'exited' && end.code === 0) return stdout
  throw failure(options, end, wordsOf(stderr, Object.values(env)))
}

function failure({ product, program, home }: ProgramOptions, end: GroupEnd, words: string): AppError {
  if (end.status === 'not_started')
    return end.isMissing
      ? new AppError(
          'conflict',
          `${product} is not there: ${program} is not on the PATH of the daemon (${home}); install it, then memory daemon restart`,
        )
      : new AppError(
          'provider_failed',
          `${product} is not there: ${program} could not be started: ${clip(end.error ?? '', 300)}`,
        )
  if (end.status === 'timed_out')
    return new AppError(
      'provider_failed',
      `${product} did not answer within ${deadlineMs / 1000} s; try ${program} in a terminal`,
    )
  return new AppError('provider_failed', `${product}: ${words || `${program} ended with code ${end.code}`}`)
}

/** What a program said went wrong, without the tokens it was given. */
function wordsOf(stderr: string, tokens: readonly string[]): string {
  const clean = tokens.reduce(
    (text, token) => (token === '' ? text : text.replaceAll(token, '[REDACTED]')),
    stderr,
  )
  return clean.replaceAll(/\s+/gu, ' ').trim().slice(0, maxWords)
}
