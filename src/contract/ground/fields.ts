import { z } from 'zod'
import type { Outcomes } from './endpoint.js'

/** Longest content of one memory, in UTF-16 units: what a 10 MiB body can hold. */
export const maxContentLength = 10_485_760

export const memoryTypes = [
  'fact',
  'preference',
  'decision',
  'rule',
  'learning',
  'issue',
  'procedural',
  'semantic',
] as const
export const memoryType = z.enum(memoryTypes)
/** What reads may ask for: also chunks of documents, which nobody saves by hand. */
export const readableType = z.enum([...memoryTypes, 'document_chunk'])

export const id = z.string().trim().min(1).max(200)
export const name = z.string().trim().min(1).max(255)
export const projectName = z.string().trim().min(1).max(4096)
export const freeText = z.string().max(10_000)
export const reason = z
  .string({ error: issue => (issue.input === undefined ? 'a reason is required' : undefined) })
  .trim()
  .min(1, 'a reason is required')
  .max(2000)
export const version = z.int().min(1)
export const importance = z.number().min(0).max(1)

const isoDate = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/** An ISO 8601 date or date-time, in UTC where it names no offset; kept as UTC with milliseconds. */
export const timestamp = z
  .string()
  .max(40)
  .transform((value, issues) => {
    const at = instantOf(value)
    const kept = Number.isNaN(at) ? '' : new Date(at).toISOString()
    // Years of more digits, which an offset leads to, are in no order beside the others.
    if (kept.length === keptLength) return kept
    issues.addIssue(
      'must be an ISO 8601 date such as 2026-01-31 or 2026-01-31T09:00:00Z, in UTC of a year up to 9999',
    )
    return z.NEVER
  })

/** Of a time as it is kept, which most are that come in bulk. */
const keptLength = new Date(0).toISOString().length

/** Milliseconds since the epoch; NaN for what is no date, 31 February included. */
function instantOf(value: string): number {
  const asKept = value.length === keptLength ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(asKept) && new Date(asKept).toISOString() === value) return asKept
  const [, day = '', time, offset = 'Z'] = isoDate.exec(value) ?? []
  const midnight = Date.parse(day)
  // Date.parse takes the 31st of any month as a day of the next one.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return Number.NaN
  return time ? Date.parse(`${day}T${time}${offset.replace(/(\d{2})(\d{2})$/, '$1:$2')}`) : midnight
}

/** In a list of them. */
const mostTags = 200

/** A comma-separated string or a list of strings; the stored form is comma-separated (rules.md 1.2). */
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

/** A whole number in a query string. */
export const queryInt = (range: { min: number; max: number }) =>
  z
    .string()
    .regex(wholeNumber, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(range.min).max(range.max))

/** A whole number in a query string; what is outside its range is clamped. */
export const clampedQueryInt = (range: { min: number; max: number }) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of at least 0')
    .transform(value => clamp(Number(value), range))

/** The same, with numbers below 0 as well. */
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

/** For those who inspect a memory: which rules of the policy decided. No context and no reply to a save holds them. */
export const inspectedSafety = contentSafety.extend({ rules: z.array(z.string()) })
export type InspectedSafety = z.infer<typeof inspectedSafety>

/** The schema of a reply's `status`: the words of its endpoint's table and no others. */
export function wordsOf<O extends Outcomes>(outcomes: O): z.ZodEnum<{ [W in keyof O & string]: W }> {
  return z.enum(Object.keys(outcomes)) as never
}
