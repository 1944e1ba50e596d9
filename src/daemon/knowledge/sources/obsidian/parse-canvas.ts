import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { isRecord } from '../../../../lib/text/is-record.js'
import { jsonInSlices } from '../../../ground/fetch/json-in-slices.js'
import type { NoteLink } from './parse-note.js'

/** A canvas as text, with the files that it shows. */
export interface ParsedCanvas {
  /** Markdown; empty for an empty canvas. */
  text: string
  links: NoteLink[]
}

interface Node {
  id: string
  type: string
  /** Of a card. */
  text: string
  file: string
  url: string
  /** Of a group. */
  label: string
}

interface Edge {
  from: string
  to: string
  label: string
}

/** Longest name of a card in the line of an edge. */
const maxShown = 80

/**
 * Reads a canvas: the texts of its cards, files, addresses and groups, and its edges with their labels
 * (sources.md#obsidian).
 * @returns undefined for what is no canvas
 */
export async function parseCanvas(json: string): Promise<ParsedCanvas | undefined> {
  const canvas = json.trim() === '' ? {} : await parsed(json)
  return isRecord(canvas) ? inSlices(canvasSteps(canvas)) : undefined
}

function* canvasSteps(canvas: Readonly<Record<string, unknown>>): Generator<undefined, ParsedCanvas> {
  const parts: string[] = []
  const links: NoteLink[] = []
  const shown = new Map<string, string>()
  for (const value of listOf(canvas.nodes)) {
    const node = toNode(value)
    shown.set(node.id, shownOf(node))
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

/** A node in one line: its label, its file, or the beginning of its text. */
function shownOf(node: Node): string {
  const line = (node.label || node.file || node.text || node.url).trim().split('\n')[0] ?? ''
  return line.replace(/^#+\s*/u, '').slice(0, maxShown)
}

function toNode(value: Readonly<Record<string, unknown>>): Node {
  return {
    id: wordsOf(value.id),
    type: wordsOf(value.type),
    text: wordsOf(value.text),
    file: wordsOf(value.file),
    url: wordsOf(value.url),
    label: wordsOf(value.label),
  }
}

function toEdge(value: Readonly<Record<string, unknown>>): Edge {
  return { from: wordsOf(value.fromNode), to: wordsOf(value.toNode), label: wordsOf(value.label) }
}

async function parsed(json: string): Promise<unknown> {
  try {
    return await jsonInSlices(Buffer.from(json))
  } catch {
    return undefined
  }
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
