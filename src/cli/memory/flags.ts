import { Flags } from '@oclif/core'
import { memoryTypes } from '../../contract/ground/memory-types.js'
import { CliError } from '../shell/cli-error.js'

const minute = 60_000

const hour = 60 * minute

const day = 24 * hour

const relative = /^(\d{1,5})\s*(m|min|h|d|w|mo|y)$/

const relativeMs: Record<string, number> = {
  m: minute,
  min: minute,
  h: hour,
  d: day,
  w: 7 * day,
  mo: 30 * day,
  y: 365 * day,
}

/** Types that reads accept: document chunks too. */
export const readableTypes = [...memoryTypes, 'document_chunk'] as const

/** A time: ISO 8601, or a span before now such as 7d; parsed with `momentOf`. */
export const momentFlag = Flags.custom<string>({ helpValue: 'WHEN' })

/** A number from 0 to 1; parsed with `fractionOf`. */
export const fractionFlag = Flags.custom<string>({ helpValue: '0..1' })

/** @returns ISO 8601 in UTC. @throws CliError with the flag, its value and the accepted formats. */
export function momentOf(flag: string, text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : parseMoment(text, Date.now())
  } catch (cause) {
    throw invalidFlag(flag, (cause as Error).message)
  }
}

/** @throws CliError with the flag and its value. */
export function fractionOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw invalidFlag(flag, `"${text}" is not a number from 0 to 1`)
}

/** Creates the error for a flag with an invalid value. */
export function invalidFlag(flag: string, fault: string): CliError {
  return new CliError(`${flag}: ${fault}`, { code: 'validation_failed', exit: 'usage' })
}

/** Filters of recall and forget (recall.md 1.3.3 and 1.3.4). */
export const filterFlags = {
  tags: Flags.string({
    summary: 'Only memories with every one of these tags (comma-separated, repeatable).',
    aliases: ['tag'],
    char: 't',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TAGS',
    helpGroup: 'FILTER',
  }),
  who: Flags.string({ summary: 'Only memories by this author.', helpValue: 'NAME', helpGroup: 'FILTER' }),
  scope: Flags.string({
    summary: 'Only memories of this scope. Without it, scoped memories are excluded.',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  since: momentFlag({
    summary: 'Only memories created at or after this moment (2026-01-31, 7d, yesterday).',
    aliases: ['after'],
    helpGroup: 'FILTER',
  }),
  until: momentFlag({
    summary: 'Only memories created at or before this moment.',
    aliases: ['before'],
    helpGroup: 'FILTER',
  }),
}

/** Reason for a change of a memory, recorded in its history. */
export const reasonFlag = Flags.custom<string>({
  summary: 'Reason for the change, recorded in the memory history.',
  char: 'r',
  helpValue: 'TEXT',
})

/** @throws CliError if the reason is missing, with a complete example command. */
export function requireReason(reason: string | undefined, example: string): string {
  if (reason?.trim()) return reason.trim()
  throw new CliError('a reason is required; it is recorded in the history', {
    code: 'reason_required',
    exit: 'usage',
    nextSteps: [example],
  })
}

/**
 * Parses a time as people type it: an ISO 8601 date or date-time, `today`, `yesterday`, or a span before now
 * such as `30m`, `12h`, `7d`, `2w`, `6mo`, `1y`.
 * @returns ISO 8601 in UTC. @throws RangeError with the value and the accepted formats.
 */
export function parseMoment(text: string, now: number): string {
  const value = text.trim().toLowerCase()
  if (value === 'today') return new Date(startOfDay(now)).toISOString()
  if (value === 'yesterday') return new Date(startOfDay(startOfDay(now) - 1)).toISOString()
  const [, count, unit] = relative.exec(value) ?? []
  if (count && unit) return new Date(now - Number(count) * relativeMs[unit]!).toISOString()
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(value) ?? []
  if (day && isInCalendar(day) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new RangeError(
    `"${text}" is not a valid time: use 2026-01-31, 2026-01-31T09:00:00Z, 7d, 12h or yesterday`,
  )
}

function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0)
}

/** Date accepts the 31st of any month as a day of the next month. */
function isInCalendar(day: string): boolean {
  const midnight = Date.parse(day)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}
