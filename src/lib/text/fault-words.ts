import type { core } from 'zod'
import { quoted } from './clip.js'
import { countOf } from './count-of.js'

type Fault = core.$ZodRawIssue

/**
 * What is wrong with a value, said to who sent it; zod's own words are for those who wrote the schema. Given as `error`
 * of a parse, so that what a schema says of itself still comes first. A text is never repeated: sent in the wrong field,
 * it may be a secret.
 */
export function faultWords(fault: Fault): string | undefined {
  const { input } = fault
  switch (fault.code) {
    case 'invalid_type':
      return input === undefined ? missing(fault) : `must be ${aType(fault.expected)}, not ${whatIs(input)}`
    case 'invalid_value':
      return notOneOf(fault.values, input)
    case 'too_small':
      return tooSmall(fault)
    case 'too_big':
      return tooBig(fault)
    case 'unrecognized_keys':
      return `takes no ${fault.keys.map(quoted).join(', ')}`
    case 'invalid_union':
      return noneFits(fault)
    case 'invalid_format':
      return fault.format === 'regex'
        ? 'has a form that is not taken here'
        : `must be a valid ${fault.format}`
    default:
      return undefined
  }
}

/** A body that is missing has no path that would name it. */
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

function aType(expected: string): string {
  return typeNames[expected] ?? `a ${expected}`
}

function whatIs(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  return typeof input === 'number' || typeof input === 'boolean' ? String(input) : aType(typeof input)
}

function notOneOf(values: readonly unknown[], input: unknown): string {
  const known = values.map(String).join(', ')
  const choice = values.length === 1 ? known : `one of ${known}`
  if (input === undefined) return `is required: ${choice}`
  return typeof input === 'string' ? `must be ${choice}` : `must be ${choice}, not ${whatIs(input)}`
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

/** How many of what has a length; undefined for a number. */
function unitOf(origin: string, count: number | bigint): string | undefined {
  const unit = units[origin]
  return unit && countOf(Number(count), ...unit)
}

/** Of several forms the one that was meant says what is wrong: where a part of it is, or the value is of its type. */
function noneFits(fault: Extract<Fault, { code: 'invalid_union' }>): string | undefined {
  const { errors, input, path } = fault
  if (input === undefined) return missing({ path })
  if (Array.isArray(fault.options)) return notOneOf(fault.options, tagOf(input, fault.discriminator))
  const faults = errors.flatMap(([first]) => first ?? [])
  const within = faults.find(fault => fault.path.length > 0)
  if (within) return `${within.path.join('.')}: ${within.message}`
  const meant = faults.find(({ code }) => code !== 'invalid_type')
  if (meant) return meant.message
  const types = faults.flatMap(fault => (fault.code === 'invalid_type' ? aType(fault.expected) : []))
  return types.length > 0 ? `must be ${types.join(' or ')}` : undefined
}

/** What an object calls itself, by the field that its forms differ in. */
function tagOf(input: unknown, field: string | undefined): unknown {
  return typeof input === 'object' && input !== null && field !== undefined
    ? (input as Record<string, unknown>)[field]
    : undefined
}
