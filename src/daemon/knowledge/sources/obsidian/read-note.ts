import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { decoded } from '../../../../lib/network/decoded.js'
import { isRecord } from '../../../../lib/text/json-of.js'
import { blocksOf } from '../../../ground/chunks/blocks.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { jsonInSlices } from '../../../ground/fetch/exchange.js'
import { yamlFields } from '../../../ground/text/yaml-fields.js'
import { DocumentFault } from '../../documents/document-fault.js'
import { readLocalFile } from '../../documents/local-file.js'
import type { ListedFile } from '../../files/list-files.js'
import type { KindDeps, ReadArtifact, SourceEvent } from '../core/kind.js'
import { guidanceFor } from './list-vault.js'

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

/** Names and links of a note (sources.md#obsidian). */
export interface ParsedNote {
  /** Frontmatter title, aliases and tags, without duplicates. */
  names: string[]
  links: NoteLink[]
}

interface NoteLink {
  /** The target as written, without heading, block and alias. */
  to: string
  /** The alias shown instead of the target. */
  text?: string
}

/** Longer frontmatter is not parsed, because the YAML parser would block the event loop. */
const maxFrontmatter = 8192
/** Maximum length of a link, name or tag. */
const maxLength = 1000
const maxNames = 500
/** Characters scanned in one step; longer lines are cut. */
const stepLength = 16 * 1024
const maxStepLength = 4 * stepLength
const maxLinks = 1000
const maxAliasCount = 50

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*$/mu
/** A tag contains a character that is not a digit and begins a word. */
const tagPattern = /(?:^|[\s(,;])#([\p{L}\p{M}\p{N}_/-]{1,200})/gu
const markdownLink = /\[([^[\]\n]{0,500})\]\(<?([^()<>\n]{1,1000})>?\)/gu
const scheme = /^[a-z][a-z0-9+.-]*:/iu

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

/**
 * Reads the names and links of a note. The text is left unchanged; invalid YAML only loses the names in it.
 * @returns in steps, because a note may have megabytes
 */
export function* parseNote(text: string): Generator<undefined, ParsedNote> {
  const names = new Set<string>()
  const links: NoteLink[] = []
  const matter = frontmatter.exec(text.slice(0, maxFrontmatter))
  for (const name of matter ? namesIn(matter[1] ?? '') : []) names.add(name)
  for (const block of blocksOf(text)) {
    yield
    if (!block) continue
    const { kind, start, end } = block
    if (kind === 'fence' || end <= (matter?.[0].length ?? 0)) continue
    for (const some of linesOf(text, start, end)) {
      const prose = withoutCode(some)
      for (const [, tag = ''] of prose.matchAll(tagPattern)) if (/\D/u.test(tag)) names.add(`#${tag}`)
      links.push(...wikilinksIn(prose), ...markdownLinksIn(prose))
      yield
    }
    if (names.size >= maxNames && links.length >= maxLinks) break
  }
  return { names: [...names].slice(0, maxNames), links: links.slice(0, maxLinks) }
}

/** Splits a block into groups of lines for one step each; names and links never span lines. */
function* linesOf(text: string, start: number, end: number): Generator<string> {
  for (let at = start; at < end; ) {
    const newline = text.indexOf('\n', at + stepLength)
    const next = Math.min(end, newline < 0 ? end : newline + 1, at + maxStepLength)
    yield text.slice(at, next)
    at = next
  }
}

/** Returns title, aliases and tags of a frontmatter; nothing if it does not parse. */
function namesIn(yaml: string): string[] {
  const fields = yamlFields(yaml, maxAliasCount)
  const tags = frontmatterList(fields.tags ?? fields.tag).flatMap(tag => tag.split(/[\s,]+/u))
  return [
    ...frontmatterList(fields.title),
    ...frontmatterList(fields.aliases ?? fields.alias),
    ...tags.filter(Boolean).map(tag => `#${tag.replace(/^#/u, '')}`),
  ]
}

function frontmatterList(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list
    .filter(item => typeof item === 'string')
    .map(item => item.trim().slice(0, maxLength))
    .filter(Boolean)
}

/** Blanks out code spans, delimited by one or more backticks. */
function withoutCode(text: string): string {
  if (!text.includes('`')) return text
  return text.replace(/(`{1,20})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)/gu, span => ' '.repeat(span.length))
}

/** Finds `[[target#heading|alias]]`, embeds included; in tables the bar is escaped. */
function wikilinksIn(text: string): NoteLink[] {
  const links: NoteLink[] = []
  for (let open = text.indexOf('[['); open >= 0; ) {
    const close = text.indexOf(']]', open + 2)
    if (close < 0) break
    const inner = text.slice(open + 2, close)
    const again = inner.lastIndexOf('[[')
    const body = again >= 0 ? inner.slice(again + 2) : inner
    if (body.length <= maxLength && !body.includes('\n')) {
      const link = linkOf(body.replaceAll('\\|', '|'))
      if (link) links.push(link)
    }
    open = text.indexOf('[[', close + 2)
  }
  return links
}

function linkOf(body: string): NoteLink | undefined {
  const bar = body.indexOf('|')
  const target = (bar < 0 ? body : body.slice(0, bar)).replace(/^\[+|[#^][\s\S]*$/gu, '').trim()
  const text = bar < 0 ? '' : body.slice(bar + 1).trim()
  // A link to a heading of the same note.
  if (target === '') return undefined
  return { to: target, ...(text && { text }) }
}

/** Finds Markdown links to other files of the vault. */
function markdownLinksIn(text: string): NoteLink[] {
  return [...text.matchAll(markdownLink)].flatMap(([, shown = '', address = '']) => {
    const path = (address.split(/(?<!\s)\s+"/u)[0] ?? '').replace(/#[\s\S]*$/u, '').trim()
    if (path === '' || scheme.test(path) || path.startsWith('//')) return []
    return [{ to: decoded(path) ?? path, ...(shown.trim() && { text: shown.trim() }) }]
  })
}
