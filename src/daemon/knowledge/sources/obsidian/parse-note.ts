import { parseDocument } from 'yaml'
import { isRecord } from '../../../../lib/text/is-record.js'
import { blocksOf } from '../../../ground/chunks/blocks.js'

/** What a note says beside its words (sources.md#obsidian). */
export interface ParsedNote {
  /** Title of the frontmatter, aliases and tags, each once. */
  names: string[]
  links: NoteLink[]
}

export interface NoteLink {
  /** As it is written, without heading, block and alias. */
  to: string
  /** What is shown in its place. */
  text?: string
}

/** Longest frontmatter that is parsed: YAML of any length would hold up everybody. */
const maxFrontmatter = 8192
/** Longest link, name and tag. */
const maxLength = 1000
const maxNames = 500
/** Of what is looked through in one step; a line that is longer than that is cut. */
const stepLength = 16 * 1024
const maxStepLength = 4 * stepLength
const maxLinks = 1000
const maxAliasCount = 50

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*$/mu
/** A tag has a character that is no digit, and stands at the beginning of a word. */
const tagPattern = /(?:^|[\s(,;])#([\p{L}\p{M}\p{N}_/-]{1,200})/gu
const markdownLink = /\[([^[\]\n]{0,500})\]\(<?([^()<>\n]{1,1000})>?\)/gu
const scheme = /^[a-z][a-z0-9+.-]*:/iu

/**
 * Reads the names and links of a note; its text stays what it is, and bad YAML costs nothing but names.
 * @returns in steps: a note may have megabytes.
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

/** Lines of a block, as many as are looked through in one step: no name or link goes on in the next line. */
function* linesOf(text: string, start: number, end: number): Generator<string> {
  for (let at = start; at < end; ) {
    const newline = text.indexOf('\n', at + stepLength)
    const next = Math.min(end, newline < 0 ? end : newline + 1, at + maxStepLength)
    yield text.slice(at, next)
    at = next
  }
}

/** Title, aliases and tags of a frontmatter; none where it does not parse. */
function namesIn(yaml: string): string[] {
  const fields = fieldsOf(yaml)
  const tags = listOf(fields.tags ?? fields.tag).flatMap(tag => tag.split(/[\s,]+/u))
  return [
    ...listOf(fields.title),
    ...listOf(fields.aliases ?? fields.alias),
    ...tags.filter(Boolean).map(tag => `#${tag.replace(/^#/u, '')}`),
  ]
}

function fieldsOf(yaml: string): Readonly<Record<string, unknown>> {
  try {
    // Scalars stay the words that were written.
    const value: unknown = parseDocument(yaml, { schema: 'failsafe', uniqueKeys: false }).toJS({
      maxAliasCount,
    })
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function listOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list
    .filter(item => typeof item === 'string')
    .map(item => item.trim().slice(0, maxLength))
    .filter(Boolean)
}

/** A text with its spans of code as blanks, one backtick or more on each side. */
function withoutCode(text: string): string {
  if (!text.includes('`')) return text
  return text.replace(/(`{1,20})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)/gu, span => ' '.repeat(span.length))
}

/** `[[target#heading|alias]]`, also as an embed; in tables the bar is escaped. */
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
  const target = (bar < 0 ? body : body.slice(0, bar)).replace(/^\[+|[#^].*$/gu, '').trim()
  const text = bar < 0 ? '' : body.slice(bar + 1).trim()
  // A heading of the note itself.
  if (target === '') return undefined
  return { to: target, ...(text && { text }) }
}

/** Links in the way of Markdown that lead to another file of the vault. */
function markdownLinksIn(text: string): NoteLink[] {
  return [...text.matchAll(markdownLink)].flatMap(([, shown = '', address = '']) => {
    const path = (address.split(/\s+"/u)[0] ?? '').replace(/#.*$/u, '').trim()
    if (path === '' || scheme.test(path) || path.startsWith('//')) return []
    return [{ to: decoded(path), ...(shown.trim() && { text: shown.trim() }) }]
  })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
