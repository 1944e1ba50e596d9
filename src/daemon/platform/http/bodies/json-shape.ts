import { AppError, type ErrorDetail } from '../../../../contract/ground/errors.js'
import { runToEnd } from '../../../../lib/concurrency/every-few-ms.js'

/** Deeper than any honest client nests. */
export const maxDepth = 100
/** Limit of members and elements in a body: with more, parsing and validation block the event loop. */
const maxValues = 100_000
/** Limit of members in one object: many different names cost far more than list elements. */
const maxMembers = 10_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Bytes, or quotes, checked before other work gets a turn. */
const stepBytes = 64 * 1024
const stepQuotes = 4096

/** Values checked before other work gets a turn. */
const stepValues = 2000
/** Limit of faults listed in the reply. */
const maxDetails = 100

interface ValueNode {
  value: unknown
  /** Undefined for the root value. */
  parent: ValueNode | undefined
  key: string
  depth: number
}

/**
 * Rejects values that could only be stored incompletely: NUL, lone surrogates, and nesting deeper than any
 * honest client sends (rules.md#conventions).
 * @throws AppError `validation_failed` naming each position
 */
export function assertStorable(value: unknown, where: string): void {
  runToEnd(checkStorable(value, where))
}

/** The steps of `assertStorable`, for values too large for one event loop turn. */
export function* checkStorable(value: unknown, where: string): Generator<undefined, void> {
  const details: ErrorDetail[] = []
  const pending: ValueNode[] = [{ value, parent: undefined, key: where, depth: 0 }]
  let seen = 0
  for (let place = pending.pop(); place; place = pending.pop()) {
    const { value: current, depth } = place
    if (typeof current === 'string') note(details, place, faultOf(current))
    else if (typeof current === 'object' && current !== null) {
      if (depth >= maxDepth) throw tooDeep(where || 'the body')
      for (const key of Object.keys(current)) {
        const fault = faultOf(key)
        note(details, place, fault && `a key ${fault}`)
        pending.push({ value: current[key as never], parent: place, key, depth: depth + 1 })
      }
    }
    if (++seen % stepValues === 0) yield
  }
  if (details.length === 0) return
  throw new AppError('validation_failed', `${details[0]?.path || where} ${details[0]?.message}`, details)
}

function note(details: ErrorDetail[], place: ValueNode, fault: string | undefined): void {
  if (fault && details.length < maxDetails) details.push({ path: pathOf(place), message: fault })
}

function pathOf({ parent, key }: ValueNode): string {
  const before = parent ? pathOf(parent) : ''
  return before ? `${before}.${key}` : key
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character'
  return text.isWellFormed() ? undefined : 'contains half of a surrogate pair'
}

/**
 * Counts the values in a JSON text without parsing it: a small body with many members can block a parser for
 * seconds. The parser itself decides whether the text is JSON. Yields after every small step.
 * @throws AppError `validation_failed` for too many values, or too deep nesting
 */
export function* checkShape(json: Buffer): Generator<undefined, void> {
  const counted = {
    depth: 0,
    values: 0,
    members: new Uint32Array(maxDepth + 1),
    inObject: new Uint8Array(maxDepth + 1),
  }
  let insideString = false
  let stepEnd = stepBytes
  let quotes = 0
  for (let at = 0; at < json.length; at++) {
    if (insideString) {
      const end = json.indexOf(quote, at)
      if (end < 0) return
      insideString = isEscaped(json, end, at)
      at = end
      quotes++
    } else if (json[at] === quote) insideString = true
    else count(counted, json[at])
    if (at < stepEnd && quotes < stepQuotes) continue
    stepEnd = at + stepBytes
    quotes = 0
    yield
  }
}

interface ShapeCounts {
  depth: number
  /** Members and elements of the whole body. */
  values: number
  /** By depth: the members of the open object or list, and whether it is an object. */
  members: Uint32Array
  inObject: Uint8Array
}

function count(counted: ShapeCounts, byte: number | undefined): void {
  const { depth, members, inObject } = counted
  if (byte === openBrace || byte === openBracket) {
    if (depth === maxDepth) throw tooDeep('the body')
    counted.depth = depth + 1
    members[depth + 1] = 0
    inObject[depth + 1] = byte === openBrace ? 1 : 0
  } else if (byte === comma) members[depth]!++
  else {
    if (byte === closeBrace || byte === closeBracket) counted.depth = Math.max(0, depth - 1)
    return
  }
  if (++counted.values > maxValues) throw tooMany(`more than ${maxValues} values`)
  if (inObject[depth] === 1 && members[depth]! >= maxMembers)
    throw tooMany(`an object of more than ${maxMembers} members`)
}

/** True when the quote at `end` is an escaped part of the string that began at or before `start`. */
function isEscaped(json: Buffer, end: number, start: number): boolean {
  let first = end
  while (first > start && json[first - 1] === backslash) first--
  return (end - first) % 2 === 1
}

function tooDeep(what: string): AppError {
  return new AppError('validation_failed', `${what} is nested more than ${maxDepth} levels deep`)
}

function tooMany(what: string): AppError {
  return new AppError(
    'validation_failed',
    `the body contains ${what}; send it in parts, a conversation as text or by its path`,
  )
}
