import { z } from 'zod'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'
import { idPart, uuid } from '../../lib/text/uuid.js'
import { parseMoment } from '../../lib/time/moment.js'

/** The part of a JSON Schema that tells how an argument may be read. */
interface Shape {
  type?: string
  /**
   * `id`: a memory's id; `key`: another id; `words`: words with commas between them; `begin` and `end`: a
   * time, of a day its first or last moment.
   */
  accepts?: 'id' | 'key' | 'words' | 'begin' | 'end'
  enum?: readonly unknown[]
  items?: Shape
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  additionalProperties?: Shape
  propertyNames?: Shape
}

const known = new WeakMap<z.ZodType, Shape>()
const quotes = '\\s"\'`()\\[\\]{}<>#.,;…'
const wrappedId = new RegExp(
  `^[${quotes}]*(?:memory://|(?:memory|message|job|command)[\\s:]+)?(?:ids?\\b)?[:=${quotes}]*` +
    `(${uuid.source}|${idPart.source})[${quotes}]*$`,
  'iu',
)
const wrappedKey =
  /^[\s"'`([{<]*(?:(?:session|source)\s+)?(?:(?:id|key)[:=]?\s+)?["'`]?([^\s"'`]+?)["'`)\]}>,;\s]*$/iu
const nothing = /^(?:null|none|undefined)?$/iu
/** Printed by programs for a missing value; a text such as `none` can be meant. */
const leftOver = /^(?:null|undefined|None|NaN)$/u
/** Longer texts cannot be ids, and would take long to compare. */
const maxId = 200
const nameOfId = /^(?:id|uuid|memoryid|messageid|jobid)$/u

/**
 * Reads arguments as models write them: names from replies, numbers, lists and objects as text, ids with
 * brackets, null or an empty text for a value that is left out. Ambiguous values stay, and the tool refuses
 * them.
 */
export function readArguments(input: z.ZodType, given: unknown): unknown {
  const shape = shapeOf(input)
  return isRecord(given) ? objectOf(shape, underOwnNames(shape, given)) : given
}

/** Reads arguments that are not an object: JSON as text, and nothing as null or an empty list. */
export function readCall<Message>(message: Message): Message {
  if (!isRecord(message)) return message
  const { method, params } = message
  if (method !== 'tools/call' || !isRecord(params) || isRecord(params.arguments)) return message
  const given = params.arguments
  const text = typeof given === 'string' ? given.trim() : ''
  const isNothing = given === null || text === 'null' || (Array.isArray(given) && given.length === 0)
  const read = isNothing || given === '' ? {} : jsonOf(text)
  return isRecord(read) ? { ...message, params: { ...params, arguments: read } } : message
}

function shapeOf(input: z.ZodType): Shape {
  const shape = known.get(input) ?? (z.toJSONSchema(input, { io: 'input' }) as Shape)
  known.set(input, shape)
  return shape
}

/** Replies say `sessionKey` for `session_key`, and models say `hint` for `hints` and `memory_id` for `id`. */
function underOwnNames({ properties = {} }: Shape, given: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(properties)
  const ids = names.filter(name => nameOfId.test(inOneWord(name)))
  const ownName = (name: string): string => {
    if (names.includes(name)) return name
    const word = inOneWord(name)
    const own =
      names.find(one => inOneWord(one) === word || inOneWord(one) === `${word}s`) ??
      (nameOfId.test(word) && ids.length === 1 ? ids[0] : undefined)
    return own === undefined || own in given ? name : own
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [ownName(name), value]))
}

function inOneWord(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

function objectOf(shape: Shape, given: Record<string, unknown>): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties = {}, propertyNames } = shape
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const own = properties[name]
    if (own === undefined) return [[textOf(propertyNames ?? {}, name), valueFor(additionalProperties, value)]]
    return isLeftOut(own, value) && !required.includes(name) ? [] : [[name, valueFor(own, value)]]
  })
  return Object.fromEntries(entries)
}

function isLeftOut({ type, enum: choices }: Shape, value: unknown): boolean {
  if (typeof value !== 'string') return value === null
  const text = value.trim()
  if (type === 'string' && choices === undefined) return text === '' || leftOver.test(text)
  return nothing.test(text)
}

function valueFor(shape: Shape, value: unknown): unknown {
  if (typeof value === 'string') return fromText(shape, value)
  if (Array.isArray(value)) {
    if (shape.accepts === 'words' && areWords(value)) return value.join(', ')
    const { type, items = {} } = shape
    return type === 'array' ? value.filter(isGiven).map(one => valueFor(items, one)) : value
  }
  if (isRecord(value)) return shape.type === 'object' ? objectOf(shape, value) : value
  return shape.accepts === 'id' && Number.isSafeInteger(value) ? String(value) : value
}

function fromText(shape: Shape, text: string): unknown {
  switch (shape.type) {
    case 'number':
    case 'integer':
      return /^\s*[+-]?\d+(?:\.\d+)?\s*$/u.test(text) ? Number(text) : text
    case 'boolean':
      return /^\s*(?:true|false)\s*$/iu.test(text) ? text.trim().toLowerCase() === 'true' : text
    case 'array':
      return listOf(shape.items ?? {}, text)
    case 'object': {
      const parsed = jsonOf(text)
      return isRecord(parsed) ? objectOf(shape, parsed) : text
    }
    default:
      return textOf(shape, text)
  }
}

/** Commas divide a list only if each part is one of the known words, because a phrase may contain commas. */
function listOf(items: Shape, text: string): unknown {
  const parsed = listIn(text)
  if (parsed) return valueFor({ type: 'array', items }, parsed)
  const parts = items.enum ? text.split(',') : [text]
  return parts.filter(isGiven).map(part => valueFor(items, part.trim()))
}

function isGiven(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== null
}

function textOf({ accepts, enum: choices }: Shape, text: string): string {
  const isShort = text.length <= maxId
  if (accepts === 'id') return (isShort && wrappedId.exec(text)?.[1]?.toLowerCase()) || text
  if (accepts === 'key') return (isShort && wrappedKey.exec(text)?.[1]) || text
  if (accepts === 'words') {
    const parsed = listIn(text)
    return parsed && areWords(parsed) ? parsed.join(', ') : text
  }
  if (accepts === 'begin' || accepts === 'end') return momentOr(text, accepts)
  const word = text.trim().toLowerCase()
  return (choices?.find(choice => choice === word) as string | undefined) ?? text
}

const quotedItem = "'[^'\\\\]*'"
/** A list in Python's notation; items with a quote in them are ambiguous. */
const pythonList = new RegExp(`^\\s*\\[\\s*${quotedItem}(?:\\s*,\\s*${quotedItem})*\\s*\\]\\s*$`, 'u')

function listIn(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  const parsed = jsonOf(text)
  if (Array.isArray(parsed)) return parsed
  return pythonList.test(text) ? [...text.matchAll(/'([^']*)'/gu)].map(([, item]) => item) : undefined
}

/** The daemon refuses other texts by name. */
function momentOr(text: string, edge: 'begin' | 'end'): string {
  try {
    return parseMoment(text, Date.now(), edge)
  } catch (error) {
    if (error instanceof RangeError) return text
    throw error
  }
}

function areWords(list: readonly unknown[]): boolean {
  return list.every(one => typeof one === 'string' || typeof one === 'number')
}
