import { isDeepStrictEqual } from 'node:util'
import type { Node, YAMLMap } from 'yaml'
import { isRecord, valueAt } from '../../../../lib/text/json-of.js'
import { MergeFault } from './merge-fault.js'

type Fields = Record<string, unknown>

let loaded: typeof import('yaml') | undefined

/** Loads the parser, which most commands do not need, before anything is read. */
export async function loadYaml(): Promise<void> {
  const found = await import('yaml')
  // Node finds no names in its CommonJS form, only the whole.
  loaded ??= 'isMap' in found ? found : (found as { default: typeof import('yaml') }).default
}

function yaml(): typeof import('yaml') {
  if (!loaded) throw new Error('loadYaml was not called')
  return loaded
}

/** Returns the value of a YAML file; an empty one has no fields. @throws MergeFault with the line. */
export function readYaml(text: string): Fields {
  const contents = rootOf(text)
  const value: unknown = contents === null ? {} : contents.toJS(documentOf(text))
  if (isRecord(value)) return value
  throw new MergeFault(1, 'is not a mapping')
}

/**
 * Adds a value: as a field, or to the list at the path if it is a list. Every other byte stays as it is, and
 * the result is parsed again to verify its meaning. @throws MergeFault if the place is written inline.
 */
export function addYaml(text: string, path: readonly string[], value: unknown): string {
  const before = readYaml(text)
  const result = inserted(text, path, value)
  requireMeaning(result, withValue(before, path, value))
  return result
}

/**
 * Removes a field, or the items of a list that match. Parents that become empty go too, unless `original` had
 * them. @throws MergeFault if the place is written inline.
 */
export function removeYaml(
  text: string,
  path: readonly string[],
  { isOwn, original }: { isOwn?: (item: unknown) => boolean; original?: string | undefined } = {},
): string {
  const found = valueAt(readYaml(text), path)
  if (!isOwn) return withoutField(text, path, original)
  if (!Array.isArray(found)) return text
  const left = found.filter(item => !isOwn(item))
  if (left.length === found.length) return text
  if (left.length === 0) return emptied(text, path, original)
  const result = found.reduceRight<string>(
    (current, item, position) => (isOwn(item) ? withoutItem(current, path, position) : current),
    text,
  )
  requireMeaning(result, replaced(readYaml(text), path, left))
  return result
}

function documentOf(text: string) {
  const [document, ...more] = yaml().parseAllDocuments(text)
  if (!document || !('contents' in document)) return yaml().parseAllDocuments('{}')[0] as never
  const [fault] = document.errors
  if (fault) throw new MergeFault(fault.linePos?.[0].line ?? 0, `is not valid YAML: ${fault.code}`)
  if (more.length > 0) throw new MergeFault(0, 'contains several YAML documents')
  return document
}

function rootOf(text: string): Node | null {
  return text.trim() === '' ? null : documentOf(text).contents
}

function inserted(text: string, path: readonly string[], value: unknown): string {
  const root = rootOf(text)
  let map = root
  let known = 0
  for (; yaml().isMap(map) && known < path.length; known++) {
    const next: unknown = map.get(path[known], true)
    if (!yaml().isMap(next) && !yaml().isSeq(next)) break
    if (next.flow) return inPlaceOf(text, next, { path, known, column: columnOf(text, map), value })
    map = next
  }
  if (yaml().isSeq(map) && known === path.length)
    return insertedAt(text, endOf(text, map), textOf(value), columnOf(text, map))
  const key = path[known]
  const holder = yaml().isMap(map) ? map : undefined
  if (root !== null && !holder) throw inline()
  const pair = holder?.items.find(item => yaml().isScalar(item.key) && item.key.value === key)
  const column = holder ? columnOf(text, holder) : 0
  if (pair) {
    if (yaml().isScalar(pair.value) ? pair.value.value !== null : pair.value !== null) throw inline()
    const at = endOfLine(text, (pair.key as Node).range?.[1] ?? 0)
    return insertedAt(text, at, textOf(nested(path.slice(known + 1), value)), column + 2)
  }
  const at = holder ? endOf(text, holder) : text.length
  return insertedAt(text, at, textOf(nested(path.slice(known), value)), column)
}

/** An empty `{}` or `[]` gives way to a block. */
function inPlaceOf(
  text: string,
  flow: Node & { items: unknown[] },
  { path, known, column, value }: { path: readonly string[]; known: number; column: number; value: unknown },
): string {
  if (flow.items.length > 0) throw inline()
  const [start = 0, end = 0] = flow.range ?? []
  let blank = start
  while (' \t'.includes(text.charAt(blank - 1) || 'x')) blank--
  const head = text.slice(0, blank)
  const rest = nested(path.slice(known + 1), value)
  const [line = '', ...behind] = text.slice(end).split(/(?<=\n)/u)
  const opened = `${head}${line === '' ? newlineOf(text) : line}`
  return insertedAt(opened + behind.join(''), opened.length, textOf(rest), column + 2)
}

function insertedAt(text: string, at: number, block: string, column: number): string {
  const newline = newlineOf(text)
  const lines = block.trimEnd().split('\n')
  const shifted = lines.map(line => `${' '.repeat(column)}${line}${newline}`).join('')
  const head = text.slice(0, at)
  return `${head}${head === '' || head.endsWith('\n') ? '' : newline}${shifted}${text.slice(at)}`
}

function withoutField(text: string, path: readonly string[], original: string | undefined): string {
  const before = readYaml(text)
  const parent = path.slice(0, -1)
  const siblings = valueAt(before, parent)
  if (path.length === 0 || !isRecord(siblings) || !((path.at(-1) as string) in siblings)) return text
  if (Object.keys(siblings).length === 1 && parent.length > 0) return emptied(text, parent, original)
  const { start, node } = pairAt(text, path)
  const result = text.slice(0, startOfLine(text, start)) + text.slice(endOf(text, node))
  const { [path.at(-1) as string]: _, ...rest } = siblings
  requireMeaning(result, replaced(before, parent, rest))
  return result
}

/** Removes what is at a path, or leaves it as empty as it was. */
function emptied(text: string, path: readonly string[], original: string | undefined): string {
  const form = original === undefined ? undefined : formOf(original, path)
  if (form === undefined) return withoutField(text, path, original)
  const { start, node } = pairAt(text, path)
  const colon = text.indexOf(':', start) + 1
  const block = startOfLine(text, node.range?.[0] ?? 0)
  const result = text.slice(0, colon) + form + text.slice(colon, block) + text.slice(endOf(text, node))
  requireMeaning(result, replaced(readYaml(text), path, valueAt(readYaml(original ?? ''), path)))
  return result
}

/** The value that an empty field had, such as ` {}`; undefined if it was missing or not empty. */
function formOf(original: string, path: readonly string[]): string | undefined {
  const root = readYaml(original)
  const holder = valueAt(root, path.slice(0, -1))
  if (!isRecord(holder) || !((path.at(-1) as string) in holder)) return undefined
  const value = valueAt(root, path)
  if (value === null) return ''
  if (Array.isArray(value)) return value.length === 0 ? ' []' : undefined
  return isRecord(value) && Object.keys(value).length === 0 ? ' {}' : undefined
}

function withoutItem(text: string, path: readonly string[], position: number): string {
  const list: unknown = pairAt(text, path).node
  const item: unknown = yaml().isSeq(list) && !list.flow ? list.items[position] : undefined
  if (!yaml().isMap(item) && !yaml().isScalar(item)) throw inline()
  return text.slice(0, startOfLine(text, item.range?.[0] ?? 0)) + text.slice(endOf(text, item))
}

function pairAt(text: string, path: readonly string[]): { start: number; node: Node } {
  const holder: unknown = path.length === 1 ? rootOf(text) : documentOf(text).getIn(path.slice(0, -1), true)
  const pair = yaml().isMap(holder) && !holder.flow ? pairOf(holder, path.at(-1)) : undefined
  if (!pair) throw inline()
  const key = pair.key as Node
  return { start: key.range?.[0] ?? 0, node: (pair.value as Node | null) ?? key }
}

function pairOf(map: YAMLMap, key: string | undefined) {
  return map.items.find(item => yaml().isScalar(item.key) && item.key.value === key)
}

/** The offset behind the last line of a node, without the comments that follow it. */
function endOf(text: string, node: unknown): number {
  if (yaml().isPair(node)) return endOf(text, node.value ?? node.key)
  if ((yaml().isMap(node) || yaml().isSeq(node)) && !node.flow && node.items.length > 0)
    return endOf(text, node.items.at(-1))
  return endOfLine(text, (node as Node).range?.[1] ?? 0)
}

function endOfLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

function columnOf(text: string, node: Node): number {
  const at = node.range?.[0] ?? 0
  return at - startOfLine(text, at)
}

/** Long lines stay whole, since people read commands there and look for them. */
function textOf(value: unknown): string {
  return yaml().stringify(value, { lineWidth: 0 })
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
}

function withValue(root: Fields, path: readonly string[], value: unknown): Fields {
  const known = valueAt(root, path)
  return replaced(root, path, Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value)
}

function replaced(root: unknown, [key, ...rest]: readonly string[], value: unknown): Fields {
  const fields = isRecord(root) ? root : {}
  if (key === undefined) return value as Fields
  return { ...fields, [key]: rest.length === 0 ? value : replaced(fields[key], rest, value) }
}

/** @throws MergeFault unless the text means what was wanted. */
function requireMeaning(text: string, wanted: Fields): void {
  if (!isDeepStrictEqual(readYaml(text), wanted)) throw inline()
}

function inline(): MergeFault {
  return new MergeFault(0, 'has the place for our entry in a form that cannot be extended, such as { ... }')
}

function newlineOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? '\n'
}
