import { decoded } from '../../../../lib/network/decoded.js'
import { blocksOf } from '../../../ground/chunks/blocks.js'
import { yamlFields } from '../../../ground/text/yaml-fields.js'

/** Names and links of a note (sources.md#obsidian). */
export interface ParsedNote {
  /** Frontmatter title, aliases and tags, without duplicates. */
  names: string[]
  links: NoteLink[]
}

export interface NoteLink {
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
  const tags = listOf(fields.tags ?? fields.tag).flatMap(tag => tag.split(/[\s,]+/u))
  return [
    ...listOf(fields.title),
    ...listOf(fields.aliases ?? fields.alias),
    ...tags.filter(Boolean).map(tag => `#${tag.replace(/^#/u, '')}`),
  ]
}

function listOf(value: unknown): string[] {
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
