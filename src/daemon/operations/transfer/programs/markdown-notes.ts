import { readdir, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { followedFiles } from '../../../../lib/files/followed-files.js'
import { readForeignText } from '../../../../lib/files/open-foreign.js'
import { yamlFields } from '../../../ground/text/yaml-fields.js'
import type { LeftOut } from './found-memory.js'

/** A list item or a paragraph of a Markdown file, with the headings above it. */
export interface MarkdownNote {
  text: string
  /** Headings above it, the title of the file left out. */
  headings: readonly string[]
}

export interface MarkdownFile {
  path: string
  changedAt: Date
  text: string
}

const maxFileBytes = 4 * 1024 * 1024
const maxFrontMatter = 16 * 1024
const maxAliasCount = 20

/** Yields the readable Markdown files at a path in the order of their names; a file may be of any name. */
export async function* markdownFilesAt(
  path: string,
  endings: readonly string[] = ['.md'],
): AsyncGenerator<MarkdownFile | (LeftOut & { path: string })> {
  const isFolder = (await stat(path)).isDirectory()
  const files = isFolder ? await followedFiles(path, name => endings.includes(extname(name))) : [path]
  for (const file of files.sort()) {
    const read = await readMarkdown(file)
    yield read ?? { leftOut: 'unreadable file', path: file }
  }
}

/** Returns undefined for a file that is missing, too large, or not text. */
export async function readMarkdown(path: string): Promise<MarkdownFile | undefined> {
  try {
    const text = await readForeignText(path, { maxBytes: maxFileBytes, followLinks: true })
    const { mtime } = await stat(path)
    return text === undefined ? undefined : { path, changedAt: mtime, text: text.replaceAll('\r\n', '\n') }
  } catch {
    return undefined
  }
}

/** Returns the names in a folder; none if it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort()
}

/** Splits off the front matter of a file. */
export function frontMatterOf(text: string): { fields: Readonly<Record<string, unknown>>; body: string } {
  const bare = text.replace(/^\uFEFF/u, '')
  if (!bare.startsWith('---\n')) return { fields: {}, body: bare }
  const end = bare.slice(0, maxFrontMatter).indexOf('\n---', 3)
  if (end < 0 || !/^\n---[ \t]*(?:\n|$)/u.test(bare.slice(end, end + 200))) return { fields: {}, body: bare }
  const after = bare.indexOf('\n', end + 1)
  return {
    fields: yamlFields(bare.slice(4, end + 1), maxAliasCount),
    body: after < 0 ? '' : bare.slice(after + 1),
  }
}

/** Returns the texts of a field of front matter: one, or a list of them. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()]
  return Array.isArray(value) ? value.flatMap(textsIn) : []
}

const heading = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/u
const item = /^ {0,1}(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/u
const numbered = /^ {0,1}\d{1,9}[.)][ \t]+\S/u
/** A line before numbered items that are steps of one thing. */
const leadsToSteps = /^(?:to|how to|steps?)\b/iu
const fence = /^\s*(`{3,}|~{3,})/u
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$/u
const importLine = /^@[^\s@]+$/u

interface OpenNote {
  kind: 'item' | 'text' | 'steps'
  lines: string[]
}

/**
 * Yields each list item of the first level and each paragraph of a Markdown text; numbered steps stay
 * together. Code belongs to the item or paragraph before it, and a line that ends in a colon to the items
 * after it.
 */
export function* notesIn(body: string): Generator<MarkdownNote | LeftOut> {
  const reader = new NoteReader()
  let fenceMark: string | undefined
  let isComment = false
  for (const line of body.split('\n')) {
    const mark = isComment ? undefined : fence.exec(line)?.[1]
    if (isComment) isComment = !line.includes('-->')
    else if (fenceMark !== undefined || mark !== undefined) {
      reader.addCode(line)
      fenceMark = fenceMark === undefined ? mark : mark?.startsWith(fenceMark) ? undefined : fenceMark
    } else if (line.trimStart().startsWith('<!--')) {
      isComment = !line.includes('-->')
      yield { leftOut: 'comment' }
    } else if (importLine.test(line.trim())) yield { leftOut: 'import of another file' }
    else yield* reader.take(line)
  }
  yield* reader.close()
}

class NoteReader {
  readonly #above: { level: number; text: string }[] = []
  #title: string | undefined
  #open: OpenNote | undefined
  #intro: string | undefined
  #isAfterBlank = false

  addCode(line: string): void {
    this.#open ??= { kind: 'text', lines: [] }
    this.#append(line, this.#open)
    this.#isAfterBlank = false
  }

  *take(line: string): Generator<MarkdownNote> {
    if (line.trim() === '') {
      this.#isAfterBlank = true
      return
    }
    const [, hashes, named] = heading.exec(line) ?? []
    const entry = item.exec(line)?.[1]
    const open = this.#open
    if (hashes && named) {
      yield* this.close()
      this.#enter(hashes.length, named)
    } else if (rule.test(line)) yield* this.close()
    else if (open?.kind === 'steps' && numbered.test(line)) open.lines.push(line.trim())
    else if (entry !== undefined) {
      const leads = open?.kind === 'text' && open.lines.at(-1)?.trimEnd().endsWith(':')
      if (leads) this.#intro = open?.lines.join(' ').trim().replace(/:$/u, '')
      else yield* this.close()
      const isStep = numbered.test(line) && leadsToSteps.test(this.#intro ?? '')
      this.#open = isStep ? { kind: 'steps', lines: [line.trim()] } : { kind: 'item', lines: [entry] }
    } else if (open && (!this.#isAfterBlank || (open.kind !== 'text' && /^\s{2,}/u.test(line))))
      this.#append(line, open)
    else {
      yield* this.close()
      this.#intro = undefined
      this.#open = { kind: 'text', lines: [line] }
    }
    this.#isAfterBlank = false
  }

  *close(): Generator<MarkdownNote> {
    const text = (this.#open?.lines ?? []).join('\n').trim()
    this.#open = undefined
    const headings = this.#above.map(one => one.text).filter(one => one !== this.#title)
    if (text !== '')
      yield { text, headings: this.#intro === undefined ? headings : [...headings, this.#intro] }
  }

  #append(line: string, open: OpenNote): void {
    if (this.#isAfterBlank && open.lines.length > 0) open.lines.push('')
    open.lines.push(dedented(line, open))
  }

  #enter(level: number, named: string): void {
    const text = named.replace(/(?<![ \t])[ \t]+#+$/u, '').trim()
    this.#intro = undefined
    while ((this.#above.at(-1)?.level ?? 0) >= level) this.#above.pop()
    if (level === 1) this.#title ??= text
    this.#above.push({ level, text })
  }
}

function dedented(line: string, { kind }: OpenNote): string {
  return kind === 'item' ? line.replace(/^(?: {1,4}|\t)/u, '') : line
}

/** Headings that say nothing about what is below them. */
const plainHeading =
  /^(?:(?:general|common|important|key|project|coding|other|misc(?:ellaneous)?|more)\s)?(?:rules?|notes?|guidelines?|instructions?|conventions?|overview|memor(?:y|ies)|general|misc(?:ellaneous)?|preferences|other)$/iu

/** Returns a note as a text of its own: its headings say what it is about. */
export function textOfNote({ text, headings }: MarkdownNote): string {
  const about = headings.filter(one => !plainHeading.test(one.trim())).join(', ')
  if (about === '') return text
  return text.includes('\n') ? `${about}:\n${text}` : `${about}: ${text}`
}
