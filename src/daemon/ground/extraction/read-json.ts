import { decodeText, type Guess, readText } from './decode-text.js'
import type { ReadingResult } from './extraction.js'

/** Values nested deeper are written as JSON: longer names would not be readable. */
const maxDepth = 24

interface JsonNode {
  value: unknown
  name: string
  depth: number
}

/**
 * Converts JSON to searchable text with a line `name.of.the[0].value: text` for each value. Members of the
 * outermost list or object are separated by empty lines, and its keys become headings of nested values.
 * Invalid JSON is read as text.
 */
export function* readJson(bytes: Uint8Array, charset?: string): Generator<undefined, ReadingResult> {
  const guess: Guess = {}
  const text = yield* decodeText(bytes, charset, guess)
  let value: unknown
  try {
    value = JSON.parse(text)
    if (longNumber.test(text)) value = JSON.parse(withNumbersAsWritten(text))
  } catch {
    return yield* readText(bytes, 'text', charset)
  }
  const markdown = yield* projection(value)
  return { status: 'extracted', format: 'json', title: titleOf(value), markdown, marks: [], ...guess }
}

/** Detects numbers that a double may not represent exactly. */
const longNumber = /\d{16}|[\d.]{16}|\d[eE]\+?\d{3}/u
const textsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gsu

/** Quotes such numbers, so that all digits of long ids are searchable and none becomes `Infinity`. */
function withNumbersAsWritten(text: string): string {
  return text.replace(textsAndNumbers, token =>
    token.startsWith('"') ||
    String(Number(token)) === token ||
    (token.length < 16 && Number.isFinite(Number(token)))
      ? token
      : `"${token}"`,
  )
}

function* projection(value: unknown): Generator<undefined, string> {
  const parts: string[] = []
  let lines: string[] = []
  const endPart = (): void => {
    if (lines.length > 0) parts.push(lines.join('\n'))
    lines = []
  }
  for (const { value: part, name } of membersOf({ value, name: '', depth: 0 })) {
    const isHeaded = !Array.isArray(value) && isContainer(part)
    if (isHeaded || Array.isArray(value)) endPart()
    if (isHeaded) parts.push(`## ${oneLine(name)}`)
    yield* writeLines({ value: part, name: isHeaded ? '' : name, depth: 1 }, lines)
    yield
  }
  endPart()
  return parts.join('\n\n')
}

/** Uses an explicit stack: deeply nested files would overflow the call stack. */
function* writeLines(from: JsonNode, lines: string[]): Generator<undefined, void> {
  const pending = [from]
  for (let place = pending.pop(); place; place = pending.pop()) {
    if (isContainer(place.value) && place.depth < maxDepth) pending.push(...membersOf(place).reverse())
    else lines.push(lineOf(place))
    if (lines.length % 1000 === 0) yield
  }
}

function membersOf({ value, name, depth }: JsonNode): JsonNode[] {
  if (Array.isArray(value))
    return value.map((member, i) => ({ value: member, name: `${name}[${i}]`, depth: depth + 1 }))
  if (!isContainer(value)) return [{ value, name, depth: depth + 1 }]
  return Object.entries(value).map(([key, member]) => ({
    value: member,
    name: name === '' ? key : `${name}.${key}`,
    depth: depth + 1,
  }))
}

function lineOf({ value, name }: JsonNode): string {
  const text = typeof value === 'object' ? shallowJson(value) : String(value)
  return name === '' ? text : `${oneLine(name)}: ${text}`
}

/** Nested values may be too deep for JSON.stringify as well. */
function shallowJson(value: object | null): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '…'
  }
}

function titleOf(value: unknown): string | null {
  if (!isContainer(value)) return null
  const { title, name } = value as { title?: unknown; name?: unknown }
  return [title, name].find((one): one is string => typeof one === 'string' && one !== '') ?? null
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ')
