import type { core } from 'zod'
import { quoted } from './clip.js'
import { countOf } from './count-of.js'

type Fault = core.$ZodRawIssue

/**
 * Describes a validation fault to the sender of the value; zod's own messages address the author of the
 * schema. Passed as `error` to a parse, so a schema's own message takes precedence. A text value is never
 * repeated, because a text in the wrong field may be a secret.
 */
export function faultWords(fault: Fault): string | undefined {
  const { input } = fault
  switch (fault.code) {
    case 'invalid_type':
      return input === undefined
        ? missing(fault)
        : `must be ${typeWithArticle(fault.expected)}, not ${describeType(input)}`
    case 'invalid_value':
      return notOneOf(fault.values, input)
    case 'too_small':
      return tooSmall(fault)
    case 'too_big':
      return tooBig(fault)
    case 'unrecognized_keys':
      return `takes no ${fault.keys.map(quoted).join(', ')}`
    case 'invalid_union':
      return unionFault(fault)
    case 'invalid_format':
      return fault.format === 'regex' ? 'has an unsupported format' : `must be a valid ${fault.format}`
    default:
      return undefined
  }
}

/** A missing body has no path that could name it. */
function missing({ path }: Pick<Fault, 'path'>): string {
  return path?.length ? 'is required' : 'a JSON object is required'
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function typeWithArticle(expected: string): string {
  return typeNames[expected] ?? `a ${expected}`
}

function describeType(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  return typeof input === 'number' || typeof input === 'boolean'
    ? String(input)
    : typeWithArticle(typeof input)
}

function notOneOf(values: readonly unknown[], input: unknown): string {
  const known = values.map(String).join(', ')
  const choice = values.length === 1 ? known : `one of ${known}`
  if (input === undefined) return `is required: ${choice}`
  return typeof input === 'string' ? `must be ${choice}` : `must be ${choice}, not ${describeType(input)}`
}

function tooSmall({ origin, minimum, inclusive, input }: Extract<Fault, { code: 'too_small' }>): string {
  const unit = unitOf(origin, minimum)
  if (unit === undefined)
    return `must be ${inclusive ? 'at least' : 'more than'} ${minimum}, not ${String(input)}`
  return BigInt(minimum) === 1n && origin === 'string' ? 'must not be empty' : `must have at least ${unit}`
}

function tooBig({ origin, maximum, inclusive, input }: Extract<Fault, { code: 'too_big' }>): string {
  const unit = unitOf(origin, maximum)
  if (unit === undefined)
    return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}, not ${String(input)}`
  const { length } = input as { length?: number }
  return `must have at most ${unit}${length === undefined ? '' : `, not ${length}`}`
}

const units: Readonly<Record<string, readonly [one: string, many?: string]>> = {
  string: ['character'],
  array: ['item'],
  set: ['item'],
  map: ['entry', 'entries'],
}

/** Returns a length with its unit; undefined for a number, which has none. */
function unitOf(origin: string, count: number | bigint): string | undefined {
  const unit = units[origin]
  return unit && countOf(Number(count), ...unit)
}

/**
 * For a union, reports the fault of the branch the caller probably meant: one with a fault deeper inside, or
 * one whose type matches.
 */
function unionFault(fault: Extract<Fault, { code: 'invalid_union' }>): string | undefined {
  const { errors, input, path } = fault
  if (input === undefined) return missing({ path })
  if (Array.isArray(fault.options)) return notOneOf(fault.options, tagOf(input, fault.discriminator))
  const faults = errors.flatMap(([first]) => first ?? [])
  const within = faults.find(fault => fault.path.length > 0)
  if (within) return `${within.path.join('.')}: ${within.message}`
  const meant = faults.find(({ code }) => code !== 'invalid_type')
  if (meant) return meant.message
  const types = faults.flatMap(fault =>
    fault.code === 'invalid_type' ? typeWithArticle(fault.expected) : [],
  )
  return types.length > 0 ? `must be ${types.join(' or ')}` : undefined
}

/** Returns the value of the discriminator field. */
function tagOf(input: unknown, field: string | undefined): unknown {
  return typeof input === 'object' && input !== null && field !== undefined
    ? (input as Record<string, unknown>)[field]
    : undefined
}
