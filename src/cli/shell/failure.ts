import { ClientError } from '../../client/http/client-error.js'
import { messageOf } from '../../lib/text/message-of.js'
import { colorsFor } from '../terminal/output.js'
import { CliError } from './cli-error.js'
import { exitCodeOf, exitCodes } from './exit-codes.js'

/** A failed command, ready for display. */
export interface Failure {
  exitCode: number
  message: string
  /** Faults in parts of the request, one per line. */
  faults: string[]
  nextSteps: readonly string[]
  /** True if the command has already shown its output and only ends with a code. */
  silent?: boolean
  /** Output of `--json` on stdout. */
  json: { error: string; code: string; [key: string]: unknown }
}

/** The daemon's own advice is meant for any program; at a terminal there are commands. */
const stepsByCode: Readonly<Record<string, readonly string[]>> = {
  unauthenticated: [
    "memory api-key create --name NAME   creates a key, on the daemon's machine",
    'SERVICE_API_KEY=KEY memory ...   uses the key',
  ],
}

/** The daemon's error for a memory that is absent, forgotten or hidden. */
const unfoundMemory = /^memory (?:\S+ )?not found$/u

/** Faults of the system in words, for files and folders that the user named. */
export const systemWords: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission for it',
  EPERM: 'you have no permission for it',
  EEXIST: 'a file has this name',
  EISDIR: 'a folder was given where a file is needed',
  ELOOP: 'its links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EROFS: 'the disk is read-only',
}

/** Introduction before the fault. */
const opening = /^The following errors? occurred:$/u

/**
 * Converts any thrown value to a failure. Bugs become code `internal` with exit code 1, without a stack.
 * @param example of the command, shown if an argument is missing.
 */
export async function toFailure(error: unknown, example?: string): Promise<Failure> {
  if (error instanceof ClientError) {
    const { code, status, details, requestId, message } = error
    const known = stepsByCode[code] ?? (unfoundMemory.test(message) ? ['memory list   shows the ids'] : [])
    const nextSteps = error.nextSteps.length > 0 ? error.nextSteps : known
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

/** Formats the message for a person: the failure, the faulty values, the next steps. */
export function renderError({ message, faults, nextSteps, json }: Failure): string {
  const colors = colorsFor(process.stderr)
  // A cancellation by the user is not an error.
  const isCancelled = json.code === 'cancelled'
  return [
    isCancelled ? `${sentence(message)}.` : `${colors.red(colors.bold('error'))}: ${message}`,
    // A single fault is the message itself.
    ...faults.filter(fault => fault !== message).map(fault => `  ${fault}`),
    ...nextSteps.map(step => `${colors.dim('next')}: ${step}`),
  ].join('\n')
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** oclif's own errors (unknown flag, missing argument, invalid value) have an `oclif` field. */
function isUsageError(error: unknown): error is Error & { oclif: { exit?: number } } {
  return error instanceof Error && 'oclif' in error
}

/** Recognizes the error of oclif's `this.exit(code)`. */
function isExit(error: unknown): error is Error & { oclif: { exit?: number } } {
  return isUsageError(error) && 'code' in error && error.code === 'EEXIT'
}

async function usageFailure(error: Error, example: string | undefined): Promise<Failure> {
  const lines = numberFault(error.message)
    .split('\n')
    .map(line => inOurWords(line.trim()))
  const namesFlag = lines.some(line => namesGivenFlag(error, line))
  const [message = '', ...faults] = lines.filter(
    line =>
      line !== '' &&
      !opening.test(line) &&
      !line.startsWith('See more help') &&
      (namesFlag || !isAboutFlags(line)),
  )
  const shown = example !== undefined && message.startsWith('missing') ? [`for example: ${example}`] : []
  const nextSteps = [
    ...(await flagGuesses(error)),
    ...(await valueGuesses(message)),
    ...shown,
    'add --help to see the usage',
  ]
  const text = [message, ...faults].join(' ')
  return {
    exitCode: exitCodes.usage.code,
    message,
    faults,
    nextSteps,
    json: { error: text, code: 'usage', nextSteps },
  }
}

/** oclif's first line; it names a value only where a surplus or wrong one may be shown. */
function inOurWords(line: string): string {
  return line
    .replace(/^Nonexistent (flags?): /u, 'unknown $1 ')
    .replace(/^Unexpected (arguments?): /u, 'unexpected $1 ')
    .replace(/^Missing 1 required arg:?$/u, 'missing argument')
    .replace(/^Missing (\d+) required args:?$/u, 'missing $1 arguments')
    .replace(/^Missing required (flags?) /u, 'missing $1 ')
    .replace(/^Expected (.+) to be one of: /u, 'unknown value $1; choose one of: ')
}

/** oclif's two lines about a number, as our own commands say it. */
const badNumber =
  /^Parsing (--[\w-]+)\s+Expected an integer(?: (greater|less) than or equal to (-?\d+))? but received: ([^\n]*)/u

function numberFault(text: string): string {
  return text.replace(badNumber, (_, flag, side, bound, given) => {
    const range = side === undefined ? '' : side === 'greater' ? `, ${bound} or more` : `, ${bound} or less`
    return `${flag}: "${given}" is not a whole number${range}`
  })
}

/** oclif adds a note on flags with several values to a missing argument, even if no such flag was used. */
function isAboutFlags(line: string): boolean {
  return line.startsWith('Note: --') || line.startsWith('Alternatively, you can use "--"')
}

function namesGivenFlag(error: Error, line: string): boolean {
  const given = (error as UnknownFlags).parse?.output?.raw ?? []
  return isAboutFlags(line) && given.some(({ flag }) => flag && line.split(/[\s,]+/u).includes(`--${flag}`))
}

/** Relevant fields of oclif's errors about flags and arguments. */
interface UnknownFlags {
  flags?: string[]
  parse?: { input?: { flags?: Record<string, unknown> }; output?: { raw?: { flag?: string }[] } }
}

async function flagGuesses(error: Error): Promise<string[]> {
  const { flags, parse } = error as UnknownFlags
  const known = Object.keys(parse?.input?.flags ?? {}).map(name => `--${name}`)
  if (!Array.isArray(flags)) return []
  const { similarNames } = await import('../../lib/text/similar-names.js')
  return flags.flatMap(flag => similarNames(flag, known).map(guess => `did you mean: ${guess}`))
}

/** A wrong value and the possible ones, in our words for oclif's message. */
const wrongValue = /^unknown value (?:--[\w-]+=)?(.*); choose one of: (.*)$/u

async function valueGuesses(message: string): Promise<string[]> {
  const [, value, choices] = wrongValue.exec(message) ?? []
  if (value === undefined || choices === undefined) return []
  const { similarNames } = await import('../../lib/text/similar-names.js')
  return similarNames(value, choices.split(', ')).map(guess => `did you mean: ${guess}`)
}

function unexpectedFailure(error: unknown): Failure {
  if (isFolderGone(error)) return folderGone
  const message = inWords(error) ?? messageOf(error)
  return {
    exitCode: exitCodes.failure.code,
    message,
    faults: [],
    nextSteps: message === systemWords.ENOSPC ? ['free some disk space, then try again'] : [],
    json: { error: message, code: 'internal' },
  }
}

/** Returns what the system says of a file or folder in words; undefined for other errors. */
function inWords(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined
  const { code = '', path } = error as NodeJS.ErrnoException
  const words = systemWords[code]
  return words && path !== undefined ? `${path}: ${words}` : words
}

/** Recognizes the error of `process.cwd()` in a folder that was removed. */
function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
}

const gone = 'the current folder was removed, and this command needs one'
const folderGone: Failure = {
  exitCode: exitCodes.usage.code,
  message: gone,
  faults: [],
  nextSteps: ['cd to another folder, or name files with their full path'],
  json: { error: gone, code: 'no_folder' },
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
