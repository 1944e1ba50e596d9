import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { type GroupEnd, passedVariables, runGroup } from '../processes/run-group.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'>

export interface ProgramOptions {
  /** The password manager's name for people. */
  product: string
  program: string
  /** Where to download it. */
  home: string
}

export interface ProgramCall {
  /** Tokens; they are passed only to the program's environment. */
  env?: Record<string, string>
  /** Written to its standard input. */
  input?: string
}

/** The command of a password manager. */
export interface ProviderProgram {
  /**
   * @returns its standard output
   * @throws AppError `provider_failed` with its own message; `conflict` when it is not on the daemon's PATH,
   * which is not a failure
   */
  run(args: readonly string[], call?: ProgramCall): Promise<string>
  /**
   * @returns its output, parsed as JSON of that shape
   * @throws AppError `provider_failed` as `run`, and for malformed output, which is not repeated because it
   * may contain values
   */
  json<T>(shape: z.ZodType<T>, args: readonly string[], call?: ProgramCall): Promise<T>
}

/**
 * Shorter than the 30 s of the daemon's clients, which would report their own time-out instead of the reason.
 */
const deadlineMs = 25_000
const maxOutputBytes = 64 * 1024 * 1024
const maxWords = 500
/** Variables that locate the programs' files. */
const placeVariables =
  /^(OP_(CONFIG_DIR|ACCOUNT|BIOMETRIC_UNLOCK_ENABLED)|BITWARDENCLI_APPDATA_DIR|BITWARDEN_SNAP\w*)$/

/** Runs one command at a time: two processes of a password manager would conflict over its files. */
export function createProviderProgram(deps: Deps, options: ProgramOptions): ProviderProgram {
  const inLine = oneAtATime()
  const run: ProviderProgram['run'] = (args, call = {}) => inLine(() => runOnce(deps, options, args, call))
  return {
    run,
    json: async (shape, args, call) => {
      const reply = shape.safeParse(jsonOf(await run(args, call)))
      if (reply.success) return reply.data
      const asked = args.slice(0, 2).join(' ')
      throw new AppError('provider_failed', `${options.product} answered ${asked} in an unknown format`)
    },
  }
}

/**
 * Returns an id of a caller or of the password manager for its command line.
 * @throws AppError `validation_failed` when the program would read it as an option
 */
export function asArgument(id: string): string {
  if (!id.startsWith('-')) return id
  throw new AppError(
    'validation_failed',
    `${quoted(id)} is not an id of a password manager: it begins with a dash`,
  )
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
    env: { ...passedVariables(deps.environment, placeVariables), ...env },
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
          `${product} is not installed: ${program} is not on the PATH of the daemon (${home}); install it, then memory daemon restart`,
        )
      : new AppError(
          'provider_failed',
          `${product} failed: ${program} could not be started: ${clip(end.error ?? '', 300)}`,
        )
  if (end.status === 'timed_out')
    return new AppError(
      'provider_failed',
      `${product} did not answer within ${deadlineMs / 1000} s; try ${program} in a terminal`,
    )
  return new AppError('provider_failed', `${product}: ${words || `${program} ended with code ${end.code}`}`)
}

/** The program's error message without the tokens it was given. */
function wordsOf(stderr: string, tokens: readonly string[]): string {
  const clean = tokens.reduce(
    (text, token) => (token === '' ? text : text.replaceAll(token, '[REDACTED]')),
    stderr,
  )
  return clean.replaceAll(/\s+/gu, ' ').trim().slice(0, maxWords)
}
