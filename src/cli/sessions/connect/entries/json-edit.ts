import { applyEdits, type Edit, type Node } from 'jsonc-parser'
import {
  descend,
  indentationAt,
  type JsonLayout,
  type JsonPath,
  layoutOf,
  parseJson,
  valueInLine,
  valueOnLines,
} from './json-text.js'
import { lineAt, MergeFault } from './merge-fault.js'

/**
 * Sets the value at a path and changes no other byte: comments, commas, indentation and line ends are
 * preserved. Missing objects on the way are created; an empty text becomes a file. jsonc-parser's own
 * `modify` reformats the whole line, which is the whole file if it is minified, and moves comments after the
 * last value.
 * @throws MergeFault if the text does not parse, or the path leads through a value other than an object.
 */
export function setIn(text: string, path: JsonPath, value: unknown): string {
  if (text.trim() === '') return `${JSON.stringify(nest(path, value), null, 2)}\n`
  const root = parseJson(text)
  const layout = layoutOf(text, root)
  const { node, missing } = descend(text, root, path)
  if (missing.length === 0) {
    const content = isOnOneLine(text, node, layout)
      ? valueInLine(value, layout)
      : valueOnLines(value, indentationAt(text, node.offset), layout)
    return applyEdits(text, [{ offset: node.offset, length: node.length, content }])
  }
  if (node.type !== 'object') throw notThat(text, node, path, 'an object')
  const [key, ...rest] = missing
  return insert(text, node, layout, { key: String(key), value: nest(rest, value) })
}

/** Appends to the list at a path, and creates a missing list. @throws MergeFault like `setIn`. */
export function appendTo(text: string, path: JsonPath, value: unknown): string {
  if (text.trim() === '') return setIn(text, path, [value])
  const root = parseJson(text)
  const { node, missing } = descend(text, root, path)
  if (missing.length > 0) return setIn(text, path, [value])
  if (node.type !== 'array') throw notThat(text, node, path, 'a list')
  return insert(text, node, layoutOf(text, root), { value })
}

/** Removes the value at a path with its comma and line; a missing value is ignored. @throws MergeFault. */
export function removeAt(text: string, path: JsonPath): string {
  const { node, missing } = descend(text, parseJson(text), path)
  if (missing.length > 0) return text
  const child = node.parent?.type === 'property' ? node.parent : node
  const parent = child.parent
  if (!parent?.children) throw new MergeFault(1, 'cannot be removed entirely')
  const position = parent.children.indexOf(child)
  const previous = parent.children[position - 1]
  const next = parent.children[position + 1]
  const comma = commaIn(text, endOf(child), next?.offset ?? closeOf(parent))
  const end = comma === undefined ? endOf(child) : comma + 1
  const range =
    lineRange(text, child.offset, end) ?? inlineRange(text, child.offset, end, previous !== undefined)
  const edits: Edit[] = [{ offset: range.start, length: range.end - range.start, content: '' }]
  const dangling = previous && comma === undefined ? commaIn(text, endOf(previous), child.offset) : undefined
  if (dangling !== undefined) edits.unshift({ offset: dangling, length: 1, content: '' })
  const result = applyEdits(text, edits)
  return previous || next ? result : closeUp(result, parent.offset)
}

interface Child {
  /** Key of a property; absent for an element of a list. */
  key?: string
  value: unknown
}

function insert(text: string, parent: Node, layout: JsonLayout, child: Child): string {
  const last = parent.children?.at(-1)
  if (!last) return insertFirst(text, parent, layout, child)
  const comma = commaIn(text, endOf(last), closeOf(parent))
  const first = parent.children![0]!
  if (isOnOneLine(text, parent, layout)) {
    const content = `${layout.isCompact ? '' : ' '}${inLine(child, layout)}`
    return comma === undefined
      ? splice(text, endOf(last), `,${content}`)
      : splice(text, comma + 1, `${content},`)
  }
  const indentation = indentationAt(text, first.offset)
  const anchor = endOfLineComments(text, comma === undefined ? endOf(last) : comma + 1)
  const content = `${layout.newline}${indentation}${onLines(child, indentation, layout)}`
  if (comma !== undefined) return splice(text, anchor, `${content},`)
  return splice(splice(text, anchor, content), endOf(last), ',')
}

function insertFirst(text: string, parent: Node, layout: JsonLayout, child: Child): string {
  const [from, to] = [parent.offset + 1, closeOf(parent)]
  const inside = text.slice(from, to)
  const outer = indentationAt(text, parent.offset)
  const indentation = outer + layout.unit
  const content = `${layout.newline}${indentation}${onLines(child, indentation, layout)}`
  if (inside.trim() !== '') {
    const anchor = from + inside.trimEnd().length
    const hasNewline = /\n/u.test(text.slice(anchor, to))
    return splice(text, anchor, hasNewline ? content : `${content}${layout.newline}${outer}`)
  }
  const filled = layout.isOneLine ? inLine(child, layout) : `${content}${layout.newline}${outer}`
  return text.slice(0, from) + filled + text.slice(to)
}

function onLines({ key, value }: Child, indentation: string, layout: JsonLayout): string {
  const text = valueOnLines(value, indentation, layout)
  return key === undefined ? text : `${JSON.stringify(key)}: ${text}`
}

function inLine({ key, value }: Child, layout: JsonLayout): string {
  const text = valueInLine(value, layout)
  return key === undefined ? text : `${JSON.stringify(key)}:${layout.isCompact ? '' : ' '}${text}`
}

/**
 * Returns true if the first child is on the line of its bracket; all children are written on that line then.
 */
function isOnOneLine(text: string, node: Node, layout: JsonLayout): boolean {
  if (layout.isOneLine) return true
  const first = node.children?.[0]
  return first !== undefined && !/\n/u.test(text.slice(node.offset, first.offset))
}

/** Returns the offset of the comma between two offsets, skipping white space and comments. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const parts = text.slice(from, to).matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|,/gu)
  const comma = [...parts].find(([part]) => part === ',')
  return comma && from + comma.index
}

/**
 * Returns the end of the comments that follow an offset on its line, since they belong to the text before
 * them.
 */
function endOfLineComments(text: string, offset: number): number {
  const comments = /^(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/))+/u.exec(text.slice(offset))
  return offset + (comments?.[0].length ?? 0)
}

interface Range {
  start: number
  end: number
}

/**
 * Returns the whole lines of a child with the line end before them; undefined if they contain anything else.
 */
function lineRange(text: string, start: number, end: number): Range | undefined {
  const before = /\r?\n[ \t]*$/u.exec(text.slice(0, start))
  const behind = /^[ \t]*(?=\r?\n)/u.exec(text.slice(end))
  return before && behind ? { start: before.index, end: end + behind[0].length } : undefined
}

/** Returns the range of a child on a shared line, with the white space on one of its sides. */
function inlineRange(text: string, start: number, end: number, hasPrevious: boolean): Range {
  const isFirstOfLine = /\n[ \t]*$/u.test(text.slice(0, start))
  if (hasPrevious && !isFirstOfLine) {
    return { start: text.slice(0, start).trimEnd().length, end }
  }
  return { start, end: end + (/^[ \t]+/u.exec(text.slice(end))?.[0].length ?? 0) }
}

/** Removes the white space in an object or list that has become empty. */
function closeUp(text: string, offset: number): string {
  const inside = /^\s*/u.exec(text.slice(offset + 1))?.[0] ?? ''
  const end = offset + 1 + inside.length
  return /[\]}]/u.test(text[end] ?? '') ? text.slice(0, offset + 1) + text.slice(end) : text
}

function notThat(text: string, node: Node, path: JsonPath, wanted: string): MergeFault {
  return new MergeFault(
    lineAt(text, node.offset),
    `"${path.join('.')}" must be ${wanted}, but is of type ${node.type}`,
  )
}

function nest(path: JsonPath, value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value)
}

function splice(text: string, offset: number, content: string): string {
  return text.slice(0, offset) + content + text.slice(offset)
}

function endOf({ offset, length }: Node): number {
  return offset + length
}

function closeOf(node: Node): number {
  return endOf(node) - 1
}
