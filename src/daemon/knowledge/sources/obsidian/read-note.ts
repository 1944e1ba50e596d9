import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { isRecord } from '../../../../lib/text/json-of.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { jsonInSlices } from '../../../ground/fetch/exchange.js'
import { DocumentFault } from '../../documents/document-fault.js'
import { readLocalFile } from '../../documents/local-file.js'
import type { ListedFile } from '../../files/list-files.js'
import type { KindDeps, ReadArtifact, SourceEvent } from '../core/kind.js'
import { guidanceFor } from './list-vault.js'
import { type NoteLink, parseNote } from './parse-note.js'

/** A canvas as text, with links to the files it contains. */
interface ParsedCanvas {
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

/** A file changed this recently may change again within the same timestamp tick of its disk. */
const unsettledMs = 3000

/** Returns the fingerprint of a file; it differs each time while the file may still change. */
export function fingerprintOf(file: ListedFile, nowMs: number): string {
  const isSettled = file.mtimeMs < nowMs - unsettledMs
  return `${stableFingerprint(file)}${isSettled ? '' : '~'}`
}

/** Returns the fingerprint without the time check; it also recognises a moved file. */
export function stableFingerprint({ size, mtimeMs, inode }: ListedFile): string {
  return `${size}:${mtimeMs}:${inode}`
}

/**
 * True for a file whose content is only in iCloud: reading it would download it and block a thread until
 * then.
 */
export function isEvicted(
  { size, blocks }: Pick<ListedFile, 'size' | 'blocks'>,
  platform = process.platform,
): boolean {
  return platform === 'darwin' && size > 0 && blocks === 0
}

/** Reads one note or canvas: an artifact, a fault, or undefined if the file has been deleted. */
export async function readNote(deps: KindDeps, file: ListedFile): Promise<SourceEvent | undefined> {
  try {
    const text = await inSlices(decodeText(await readLocalFile(deps, file.path)))
    const artifact = await (file.id.endsWith('.canvas') ? canvasOf(file, text) : noteOf(file, text))
    if (artifact === undefined)
      return {
        event: 'fault',
        path: file.id,
        message: 'it is not a valid canvas: its JSON is broken',
        isRecoverable: false,
      }
    const fingerprint = fingerprintOf(file, deps.clock().getTime())
    return { event: 'artifact', artifact: { ...artifact, fingerprint } }
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error
    const { cause } = error
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined
    const guidance = cause === undefined ? undefined : guidanceFor(cause, file.path)
    return {
      event: 'fault',
      path: file.id,
      message: error.message,
      isRecoverable: error.isPassing,
      ...(guidance && { guidance }),
    }
  }
}

type NoteContent = Omit<ReadArtifact, 'fingerprint'>

async function noteOf(file: ListedFile, text: string): Promise<NoteContent> {
  return { ...factsOf(file), kind: 'note', text, ...(await inSlices(parseNote(text))) }
}

async function canvasOf(file: ListedFile, json: string): Promise<NoteContent | undefined> {
  const canvas = await parseCanvas(json)
  return canvas && { ...factsOf(file), kind: 'canvas', ...canvas }
}

/** A note's title is its file name. */
function factsOf({ id, mtimeMs }: ListedFile): Pick<NoteContent, 'path' | 'title' | 'updatedAt'> {
  const title = id.slice(id.lastIndexOf('/') + 1).replace(/\.(?:md|canvas)$/iu, '')
  return { path: id, title, updatedAt: new Date(mtimeMs).toISOString() }
}
