import { ClientError } from '../../client/http/client-error.js'
import { messageOf } from '../../lib/text/message-of.js'
import { colorsFor } from '../terminal/output.js'
import { CliError } from './cli-error.js'
import { exitCodeOf, exitCodes } from './exit-codes.js'

/** A failed command, ready to be shown. */
export interface Failure {
  exitCode: number
  message: string
  /** One line each: what is wrong with which part of the request. */
  faults: string[]
  nextSteps: readonly string[]
  /** Nothing to show: the command already said it and only ends with a code. */
  silent?: boolean
  /** What `--json` prints on stdout. */
  json: { error: string; code: string; [key: string]: unknown }
}

/** What the daemon tells of itself is meant for any program; who is at a terminal has commands. */
const stepsByCode: Readonly<Record<string, readonly string[]>> = {
  unauthenticated: [
    "memory api-key create --name NAME   makes a key, on the daemon's machine",
    'SERVICE_API_KEY=KEY memory ...   uses it',
  ],
}

/** Words before the fault itself. */
const opening = /^The following errors? occurred:$/u

/**
 * Turns anything thrown into one shape. Bugs become code `internal` with exit code 1, never a stack.
 * @param example of the command, for who left something out.
 */
export async function toFailure(error: unknown, example?: string): Promise<Failure> {
  if (error instanceof ClientError) {
    const { code, status, details, requestId, message } = error
    const nextSteps = error.nextSteps.length > 0 ? error.nextSteps : (stepsByCode[code] ?? [])
    const json = {
      ...error.body,
      error: message,
      code,
      ...defined({ status, details, requestId, nextSteps }),
    }
    return { exitCode: exitCodeOf(error), message, faults: faultsOf(details), nextSteps, json }
  }
  if (error instanceof CliError) {
    const { code, details, nextSteps, message, exitCode } = error
    const json = { error: message, code, ...defined({ details, nextSteps }) }
    return { exitCode, message, faults: faultsOf(details), nextSteps, json }
  }
  if (isExit(error)) return { ...unexpectedFailure(error), exitCode: error.oclif.exit ?? 0, silent: true }
  return isUsageError(error) ? usageFailure(error, example) : unexpectedFailure(error)
}

/** The message for a person: what went wrong, which values, what to do next. */
export function renderError({ message, faults, nextSteps }: Failure): string {
  const colors = colorsFor(process.stderr)
  return [
    `${colors.red(colors.bold('error'))}: ${message}`,
    // Of a single fault the message says all.
    ...faults.filter(fault => fault !== message).map(fault => `  ${fault}`),
    ...nextSteps.map(step => `${colors.dim('next')}: ${step}`),
  ].join('\n')
}

/** oclif's own errors (unknown flag, missing argument, value not allowed) carry an `oclif` field. */
function isUsageError(error: unknown): error is Error & { oclif: { exit?: number } } {
  return error instanceof Error && 'oclif' in error
}

/** What oclif's `this.exit(code)` throws. */
function isExit(error: unknown): error is Error & { oclif: { exit?: number } } {
  return isUsageError(error) && 'code' in error && error.code === 'EEXIT'
}

async function usageFailure(error: Error, example: string | undefined): Promise<Failure> {
  const lines = error.message.split('\n').map(line => line.trim())
  const isTold = lines.some(line => namesGivenFlag(error, line))
  const [message = '', ...faults] = lines.filter(
    line =>
      line !== '' &&
      !opening.test(line) &&
      !line.startsWith('See more help') &&
      (isTold || !isAboutFlags(line)),
  )
  const shown = example !== undefined && message.startsWith('Missing') ? [`for example: ${example}`] : []
  const nextSteps = [...(await flagGuesses(error)), ...shown, 'add --help for the usage']
  const text = [message, ...faults].join(' ')
  return {
    exitCode: exitCodes.usage.code,
    message,
    faults,
    nextSteps,
    json: { error: text, code: 'usage', nextSteps },
  }
}

/** oclif explains flags with several values to whoever leaves an argument out, also where none of them was given. */
function isAboutFlags(line: string): boolean {
  return line.startsWith('Note: --') || line.startsWith('Alternatively, you can use "--"')
}

function namesGivenFlag(error: Error, line: string): boolean {
  const given = (error as UnknownFlags).parse?.output?.raw ?? []
  return isAboutFlags(line) && given.some(({ flag }) => flag && line.split(/[\s,]+/u).includes(`--${flag}`))
}

/** What oclif's errors about flags and arguments hold. */
interface UnknownFlags {
  flags?: string[]
  parse?: { input?: { flags?: Record<string, unknown> }; output?: { raw?: { flag?: string }[] } }
}

async function flagGuesses(error: Error): Promise<string[]> {
  const { flags, parse } = error as UnknownFlags
  const known = Object.keys(parse?.input?.flags ?? {}).map(name => `--${name}`)
  if (!Array.isArray(flags)) return []
  const { nearest } = await import('./nearest.js')
  return flags.flatMap(flag => nearest(flag, known).map(guess => `did you mean: ${guess}`))
}

function unexpectedFailure(error: unknown): Failure {
  const message = messageOf(error)
  return {
    exitCode: exitCodes.failure.code,
    message,
    faults: [],
    nextSteps: [],
    json: { error: message, code: 'internal' },
  }
}

function faultsOf(details: unknown): string[] {
  if (!Array.isArray(details)) return []
  return details.flatMap(detail => {
    const { path, message } = (detail ?? {}) as { path?: string; message?: string }
    return message ? [path ? `${path}: ${message}` : message] : []
  })
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== 0 && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
