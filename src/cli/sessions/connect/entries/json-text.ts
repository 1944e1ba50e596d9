import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { lineAt, MergeFault } from './merge-fault.js'

/** Where a value is: keys of objects and positions in lists. */
export type JsonPath = ReadonlyArray<string | number>

/** How a file is laid out, so that what is added looks like the rest. */
export interface JsonLayout {
  newline: '\n' | '\r\n'
  /** One step of indentation. */
  unit: string
  /** The whole file is on one line. */
  isOneLine: boolean
  /** No space behind colons and commas. */
  isCompact: boolean
}

const byteOrderMark = '\uFEFF'

/** Runs an edit on the text behind a byte order mark, and keeps the mark. */
export function behindMark(text: string, edit: (text: string) => string): string {
  return text.startsWith(byteOrderMark) ? byteOrderMark + edit(text.slice(1)) : edit(text)
}

/**
 * The root of JSON with comments and trailing commas.
 * @throws MergeFault with the line when the text does not parse or holds something else than an object.
 */
export function parseJson(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) throw new MergeFault(lineAt(text, error.offset), `is not JSON: ${wordsOf(error)}`)
  if (root?.type !== 'object') throw new MergeFault(1, 'holds no JSON object')
  return root
}

/** The value of a whole file; an empty file is an empty object. @throws MergeFault as `parseJson`. */
export function readJson(text: string): Record<string, unknown> {
  const plain = text.replace(byteOrderMark, '')
  return plain.trim() === '' ? {} : (getNodeValue(parseJson(plain)) as Record<string, unknown>)
}

/** The value at a path of a file that may not parse: then, as where there is none, undefined. */
export function valueIn(text: string, path: JsonPath): unknown {
  try {
    return path.reduce<unknown>((value, key) => (value as Fields | undefined)?.[key], readJson(text))
  } catch (error) {
    if (error instanceof MergeFault) return undefined
    throw error
  }
}

type Fields = Readonly<Record<string | number, unknown>>

/**
 * The node at a path, or the last one on the way there and the keys that are missing.
 * @throws MergeFault for a key that stands twice: readers disagree which of the two counts.
 */
export function descend(text: string, root: Node, path: JsonPath): { node: Node; missing: JsonPath } {
  let node = root
  for (const [depth, key] of path.entries()) {
    const next = typeof key === 'number' ? node.children?.[key] : propertyOf(text, node, key)
    if (!next) return { node, missing: path.slice(depth) }
    node = next
  }
  return { node, missing: [] }
}

function propertyOf(text: string, node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined
  const named = (node.children ?? []).filter(property => property.children?.[0]?.value === key)
  const [first, second] = named
  if (second) throw new MergeFault(lineAt(text, second.offset), `has the key "${key}" twice`)
  return first?.children?.[1]
}

/** A fault about the value at a path of a text that parses. */
export function faultAt(text: string, path: JsonPath, message: string): MergeFault {
  const plain = text.replace(byteOrderMark, '')
  return new MergeFault(lineAt(plain, descend(plain, parseJson(plain), path).node.offset), message)
}

export function layoutOf(text: string, root: Node): JsonLayout {
  const newline = /\r?\n/u.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n'
  const first = root.children?.[0]
  const isOneLine = first !== undefined && !/\n/u.test(text.trim())
  const own = first && !isOneLine ? indentationAt(text, first.offset) : ''
  return { newline, unit: own || '  ', isOneLine, isCompact: isOneLine && !/:\s/u.test(text) }
}

/** White space that the line of an offset begins with. */
export function indentationAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? ''
}

/** A value on lines of its own, the first one without indentation. */
export function valueOnLines(value: unknown, indentation: string, { newline, unit }: JsonLayout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${indentation}`)
}

/** A value on one line. */
export function valueInLine(value: unknown, layout: Pick<JsonLayout, 'isCompact'>): string {
  if (layout.isCompact || typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(item => valueInLine(item, layout)).join(', ')}]`
  const parts = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${valueInLine(item, layout)}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

/** `CommaExpected` as `comma expected`. */
function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')
    .toLowerCase()
}
