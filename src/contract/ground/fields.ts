import { z } from 'zod'
import type { Outcomes } from './endpoint.js'
import { memoryTypes } from './wire-names.js'

/** Longest content of one memory in UTF-16 units, limited by the 10 MiB body. */
export const maxContentLength = 10_485_760

export const memoryType = z.enum(memoryTypes)
/** Types that reads accept, including chunks of documents, which users cannot save. */
export const readableType = z.enum([...memoryTypes, 'document_chunk'])

export const id = z.string().trim().min(1).max(200)
export const name = z.string().trim().min(1).max(255)
export const projectName = z.string().trim().min(1).max(4096)
/** The folder in which a caller works, percent-encoded; a request may lack a project or folder of its own. */
export const folderHeader = z.object({ 'x-service-cwd': projectName.optional() })
export const freeText = z.string().max(10_000)
export const reason = z
  .string({ error: issue => (issue.input === undefined ? 'a reason is required' : undefined) })
  .trim()
  .min(1, 'a reason is required')
  .max(2000)
export const version = z.int().min(1)
export const importance = z.number().min(0).max(1)

const isoDate = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/** An ISO 8601 date or date-time, in UTC unless it has an offset; normalized to UTC with milliseconds. */
export const timestamp = z
  .string()
  .max(40)
  .transform((value, issues) => {
    const at = instantOf(value)
    const normalized = Number.isNaN(at) ? '' : new Date(at).toISOString()
    // An offset may lead to a year with more digits, which would not sort correctly.
    if (normalized.length === keptLength) return normalized
    issues.addIssue(
      'must be an ISO 8601 date such as 2026-01-31 or 2026-01-31T09:00:00Z, in UTC of a year up to 9999',
    )
    return z.NEVER
  })

/** Length of a normalized time, the usual form in bulk imports. */
const keptLength = new Date(0).toISOString().length

/** Returns milliseconds since the epoch; NaN for an invalid date, including 31 February. */
function instantOf(value: string): number {
  const asKept = value.length === keptLength ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(asKept) && new Date(asKept).toISOString() === value) return asKept
  const [, day = '', time, offset = 'Z'] = isoDate.exec(value) ?? []
  const midnight = Date.parse(day)
  // Date.parse accepts the 31st of any month as a day of the next one.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return Number.NaN
  return time ? Date.parse(`${day}T${time}${offset.replace(/(\d{2})(\d{2})$/, '$1:$2')}`) : midnight
}

/** Limit for a list. */
const mostTags = 200

/** A comma-separated string or a list of strings; stored comma-separated (rules.md 1.2). */
export const tags = z
  .union([z.string().max(10_000), z.array(z.string().max(1000)).max(mostTags)], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > mostTags
        ? `must have at most ${mostTags} tags, not ${input.length}`
        : 'must be a comma-separated string of at most 10,000 characters, or a list of strings of at most 1,000',
  })
  .transform(value => [
    ...new Set(
      (Array.isArray(value) ? value : [value])
        .flatMap(part => part.split(','))
        .map(tag => tag.trim())
        .filter(Boolean),
    ),
  ])

const wholeNumber = /^-?\d{1,15}$/

/** An integer in a query string. */
export const queryInt = (range: { min: number; max: number }) =>
  z
    .string()
    .regex(wholeNumber, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(range.min).max(range.max))

/** An integer in a query string, clamped to its range. */
export const clampedQueryInt = (range: { min: number; max: number }) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of at least 0')
    .transform(value => clamp(Number(value), range))

/** The same, also for negative numbers. */
export const clampedAnyInt = (range: { min: number; max: number }) =>
  z
    .string()
    .regex(wholeNumber, 'must be a whole number')
    .transform(value => clamp(Number(value), range))

/** A number in a query string. */
export const queryNumber = (range: { min: number; max: number }) =>
  z
    .string()
    .regex(/^-?\d{1,15}(?:\.\d{1,15})?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(range.min).max(range.max))

export const clampedInt = (range: { min: number; max: number }) =>
  z
    .number()
    .refine(Number.isFinite, 'must be a number')
    .transform(value => clamp(Math.trunc(value), range))

export const queryBoolean = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
  .transform(value => value === 'true' || value === '1')

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value))
}

export const safetyReasons = [
  'prompt_injection',
  'exfiltration',
  'credential_harvesting',
  'malicious_shell',
  'tool_directive',
  'invisible_unicode',
] as const

export const contentSafety = z.object({
  status: z.enum(['clean', 'tainted', 'blocked']),
  contextEligible: z.boolean(),
  reasons: z.array(z.enum(safetyReasons)),
  policyVersion: z.string(),
  scannedAt: z.string(),
})
export type ContentSafety = z.infer<typeof contentSafety>

/** Adds the deciding rules for those who inspect a memory; contexts and replies to saves omit them. */
export const inspectedSafety = contentSafety.extend({ rules: z.array(z.string()) })
export type InspectedSafety = z.infer<typeof inspectedSafety>

/** Returns the schema of a reply's `status`: only the words of its endpoint's table. */
export function statusWords<O extends Outcomes>(outcomes: O): z.ZodEnum<{ [W in keyof O & string]: W }> {
  return z.enum(Object.keys(outcomes)) as never
}

/** Where listed things stay, and the other daemons of the team, which have their own; only in a team. */
export const staysAt = z.object({
  daemon: z.string(),
  others: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      /** While it ends. */ stoppingSince: z.string().optional(),
    }),
  ),
})
export type StaysAt = z.infer<typeof staysAt>
