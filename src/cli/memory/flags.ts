import { Flags } from '@oclif/core'
import type { Request } from '../../contract/api.js'
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

type MemoryType = NonNullable<NonNullable<Request<'POST /api/memory/remember'>['body']>['type']>

/** Written out, because the schemas that list them must not load at start. */
export const memoryTypes = [
  'fact',
  'preference',
  'decision',
  'rule',
  'learning',
  'issue',
  'procedural',
  'semantic',
] as const satisfies readonly MemoryType[]
/** What reads may ask for: also chunks of documents. */
export const readableTypes = [...memoryTypes, 'document_chunk'] as const

/** A moment: ISO 8601, or a span before now such as 7d; `momentOf` reads it. */
export const momentFlag = Flags.custom<string>({ helpValue: 'WHEN' })

/** A number from 0 to 1; `fractionOf` reads it. */
export const fractionFlag = Flags.custom<string>({ helpValue: '0..1' })

/** @returns ISO 8601 in UTC. @throws CliError that names the flag, quotes its value and says what is allowed. */
export function momentOf(flag: string, text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : parseMoment(text, Date.now())
  } catch (cause) {
    throw invalidFlag(flag, (cause as Error).message)
  }
}

/** @throws CliError that names the flag and quotes its value. */
export function fractionOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw invalidFlag(flag, `"${text}" is not a number from 0 to 1`)
}

/** The error for a flag whose value cannot be used. */
export function invalidFlag(flag: string, fault: string): CliError {
  return new CliError(`${flag}: ${fault}`, { code: 'validation_failed', exit: 'usage' })
}

/** Flags that narrow recall and forget (recall.md 1.3.3 and 1.3.4). */
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
  project: Flags.string({
    summary: 'Only memories of this project.',
    char: 'p',
    helpValue: 'NAME',
    helpGroup: 'FILTER',
  }),
  scope: Flags.string({
    summary: 'Only memories of this scope; without it scoped memories are left out.',
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

/** Why a memory changes; the history keeps it. */
export const reasonFlag = Flags.custom<string>({
  summary: 'Why; the history of the memory keeps it.',
  char: 'r',
  helpValue: 'TEXT',
})

/** @throws CliError when a reason is missing, with the whole command that has one. */
export function requireReason(reason: string | undefined, example: string): string {
  if (reason?.trim()) return reason.trim()
  throw new CliError('a reason is needed: the history keeps it', {
    code: 'reason_required',
    exit: 'usage',
    nextSteps: [example],
  })
}

/**
 * A moment as people type it: an ISO 8601 date or date-time, `today`, `yesterday`, or a span before now such as
 * `30m`, `12h`, `7d`, `2w`, `6mo`, `1y`.
 * @returns ISO 8601 in UTC. @throws RangeError naming the value and what is allowed.
 */
export function parseMoment(text: string, now: number): string {
  const value = text.trim().toLowerCase()
  if (value === 'today') return new Date(startOfDay(now)).toISOString()
  if (value === 'yesterday') return new Date(startOfDay(startOfDay(now) - 1)).toISOString()
  const [, count, unit] = relative.exec(value) ?? []
  if (count && unit) return new Date(now - Number(count) * relativeMs[unit]!).toISOString()
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(value) ?? []
  if (day && isInCalendar(day) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new RangeError(`"${text}" is no moment: use 2026-01-31, 2026-01-31T09:00:00Z, 7d, 12h or yesterday`)
}

function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0)
}

/** Date takes the 31st of any month for a day of the next one. */
function isInCalendar(day: string): boolean {
  const midnight = Date.parse(day)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}
