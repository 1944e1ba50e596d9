import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { lineAt, MergeFault } from './merge-fault.js'

/** Keys of objects and positions in lists that lead to a value. */
export type JsonPath = ReadonlyArray<string | number>

/** Layout of a file, which additions follow. */
export interface JsonLayout {
  newline: '\n' | '\r\n'
  /** One step of indentation. */
  unit: string
  /** True if the whole file is a single line. */
  isOneLine: boolean
  /** True if colons and commas have no space after them. */
  isCompact: boolean
}

const byteOrderMark = '\uFEFF'

/** Applies an edit to the text after a byte order mark, which is preserved. */
export function behindMark(text: string, edit: (text: string) => string): string {
  return text.startsWith(byteOrderMark) ? byteOrderMark + edit(text.slice(1)) : edit(text)
}

/**
 * Parses JSON with comments and trailing commas.
 * @throws MergeFault with the line if the text does not parse or its root is not an object.
 */
export function parseJson(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) throw new MergeFault(lineAt(text, error.offset), `is not JSON: ${wordsOf(error)}`)
  if (root?.type !== 'object') throw new MergeFault(1, 'does not contain a JSON object')
  return root
}

/**
 * Returns the value of a whole file; an empty file is an empty object. @throws MergeFault like `parseJson`.
 */
export function readJson(text: string): Record<string, unknown> {
  const plain = text.replace(byteOrderMark, '')
  return plain.trim() === '' ? {} : (getNodeValue(parseJson(plain)) as Record<string, unknown>)
}

/** Returns the value at a path; undefined if it is missing or the file does not parse. */
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
 * Returns the node at a path, or the last existing node on the way and the missing keys.
 * @throws MergeFault for a duplicate key, because readers disagree which one counts.
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

/** Creates a fault about the value at a path of a text that parses. */
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

/** Returns the white space at the beginning of the line of an offset. */
export function indentationAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? ''
}

/** Formats a value on several lines, the first one without indentation. */
export function valueOnLines(value: unknown, indentation: string, { newline, unit }: JsonLayout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${indentation}`)
}

/** Formats a value on one line. */
export function valueInLine(value: unknown, layout: Pick<JsonLayout, 'isCompact'>): string {
  if (layout.isCompact || typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(item => valueInLine(item, layout)).join(', ')}]`
  const parts = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${valueInLine(item, layout)}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

/** Converts `CommaExpected` to `comma expected`. */
function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')
    .toLowerCase()
}
