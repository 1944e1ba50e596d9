import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { isRecord } from '../../../../lib/text/json-of.js'
import { jsonInSlices } from '../../../ground/fetch/json-in-slices.js'
import type { NoteLink } from './parse-note.js'

/** A canvas as text, with links to the files it contains. */
export interface ParsedCanvas {
  /** Markdown; empty for an empty canvas. */
  text: string
  links: NoteLink[]
}

interface Node {
  id: string
  type: string
  /** Text of a card. */
  text: string
  file: string
  url: string
  /** Label of a group. */
  label: string
}

interface Edge {
  from: string
  to: string
  label: string
}

/** Maximum length of a card's name in the line of an edge. */
const maxShown = 80

/**
 * Reads a canvas: the texts of its cards, files, addresses and groups, and its edges with their labels
 * (sources.md#obsidian).
 * @returns undefined if the JSON is not a canvas
 */
export async function parseCanvas(json: string): Promise<ParsedCanvas | undefined> {
  const canvas = json.trim() === '' ? {} : await parseJson(json)
  return isRecord(canvas) ? inSlices(canvasSteps(canvas)) : undefined
}

function* canvasSteps(canvas: Readonly<Record<string, unknown>>): Generator<undefined, ParsedCanvas> {
  const parts: string[] = []
  const links: NoteLink[] = []
  const shown = new Map<string, string>()
  for (const value of listOf(canvas.nodes)) {
    const node = toNode(value)
    shown.set(node.id, nodeName(node))
    const text = textOf(node)
    if (text !== '') parts.push(text)
    if (node.file !== '') links.push({ to: node.file })
    yield
  }
  const lines: string[] = []
  for (const value of listOf(canvas.edges)) {
    const { from, to, label } = toEdge(value)
    const ends = `${shown.get(from) ?? '?'} -> ${shown.get(to) ?? '?'}`
    lines.push(label === '' ? `- ${ends}` : `- ${ends}: ${label}`)
    yield
  }
  if (lines.length > 0) parts.push(lines.join('\n'))
  return { text: parts.join('\n\n'), links }
}

function textOf({ type, text, file, url, label }: Node): string {
  if (type === 'group') return label && `# ${label}`
  return text.trim() || (file && `[[${file}]]`) || url
}

/** Names a node in one line: with its label, its file, or the beginning of its text. */
function nodeName(node: Node): string {
  const line = (node.label || node.file || node.text || node.url).trim().split('\n')[0] ?? ''
  return line.replace(/^#+\s*/u, '').slice(0, maxShown)
}

function toNode(value: Readonly<Record<string, unknown>>): Node {
  return {
    id: stringOf(value.id),
    type: stringOf(value.type),
    text: stringOf(value.text),
    file: stringOf(value.file),
    url: stringOf(value.url),
    label: stringOf(value.label),
  }
}

function toEdge(value: Readonly<Record<string, unknown>>): Edge {
  return { from: stringOf(value.fromNode), to: stringOf(value.toNode), label: stringOf(value.label) }
}

async function parseJson(json: string): Promise<unknown> {
  try {
    return await jsonInSlices(Buffer.from(json))
  } catch {
    return undefined
  }
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
