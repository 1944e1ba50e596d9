import type { Corpus } from '../corpus.js'
import { plainRst, withoutTags } from './sections.js'

const longestBody = 40

/** Adds Python functions with a docstring: the docstring is the query for the code. */
export function addPython(corpus: Corpus, source: string): void {
  const lines = source.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const head = /^([ \t]*)(?:async )?(def|class) (\w+)/.exec(lines[at]!)
    if (head) addDefinition(corpus, lines, at, head)
  }
  const module = /^(?:#.*\r?\n|\s)*[rRuU]?("""|''')([\s\S]{20,3000}?)\1/.exec(source)
  if (module) corpus.text(plainRst(module[2]!))
  corpus.end()
}

function addDefinition(corpus: Corpus, lines: readonly string[], at: number, head: RegExpExecArray): void {
  const [, indent = '', kind, name = ''] = head
  let bodyAt = at
  while (bodyAt < at + 12 && !/:\s*(#.*)?$/.test(lines[bodyAt] ?? '')) bodyAt += 1
  const doc = docstring(lines, bodyAt + 1)
  if (!doc) return
  corpus.text(plainRst(doc.text).replace(/>>>|::/g, ' '))
  if (kind === 'class' || name.startsWith('test')) return
  const first = plainRst(doc.text.split(/\n\s*\n|\n\s*(?:Args|Parameters|Returns|:param)/)[0]!).trim()
  if (first.split(/\s+/).length < 3) return
  const body = bodyOf(lines, doc.end + 1, indent.length)
  const signature = lines.slice(at, bodyAt + 1).join(' ')
  corpus.pair('title', first, `${signature} ${body}`)
  corpus.pair('title', spacedName(name), `${first} ${body}`)
  corpus.text(`${first} ${signature} ${body.slice(0, 1500)}`)
}

function docstring(lines: readonly string[], at: number): { text: string; end: number } | undefined {
  const start = /^\s*[rRuU]{0,2}("""|''')/.exec(lines[at] ?? '')
  if (!start) return undefined
  const quotes = start[1]!
  const opening = lines[at]!.slice(start[0].length)
  if (opening.includes(quotes)) return { text: opening.slice(0, opening.indexOf(quotes)), end: at }
  const end = lines.findIndex((line, index) => index > at && line.includes(quotes))
  if (end < 0 || end - at > 200) return undefined
  const last = lines[end]!.slice(0, lines[end]!.indexOf(quotes))
  return { text: [opening, ...lines.slice(at + 1, end), last].map(line => line.trim()).join('\n'), end }
}

function bodyOf(lines: readonly string[], from: number, indent: number): string {
  const body: string[] = []
  for (let at = from; at < Math.min(lines.length, from + longestBody); at++) {
    const line = lines[at]!
    if (line.trim() && line.search(/\S/) <= indent) break
    body.push(line)
  }
  return body.join('\n')
}

export function spacedName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
}

const blockComment = /\/\*\*?(?!\*)([\s\S]{20,1500}?)\*\/\s*\n((?:.+\n){2,30})/g
const lineComments = /((?:^[ \t]*\/\/[/!]?.*\n){1,20})((?:^.*\S.*\n){1,25})/gm
const hashComments = /((?:^[ \t]*#.*\n){1,20})((?:^[ \t]*(?:def|class|module) .*\n)(?:.+\n){0,20})/gm

/** Adds comments of C-like languages, Rust and Go as queries for the code below them. */
export function addCommented(corpus: Corpus, source: string): void {
  for (const [, comment, code] of source.matchAll(blockComment))
    addComment(corpus, comment!.replace(/^\s*\*+ ?/gm, ''), code!)
  for (const [, comment, code] of source.matchAll(lineComments))
    addComment(corpus, comment!.replace(/^\s*\/\/[/!]? ?/gm, ''), code!)
  corpus.end()
}

export function addRuby(corpus: Corpus, source: string): void {
  for (const [, comment, code] of source.matchAll(hashComments))
    addComment(corpus, comment!.replace(/^\s*#+ ?/gm, ''), code!)
  corpus.end()
}

function addComment(corpus: Corpus, raw: string, code: string): void {
  const comment = withoutTags(raw.replace(/\{@\w+ ([^}]*)\}/g, '$1'))
  if (/copyright|licen[sc]e/i.test(comment)) return
  const first = comment.trim().split(/\n\s*\n|\n\s*@|(?<=\.)\s/)[0]!
  corpus.text(comment.replace(/@\w+/g, ' '))
  const words = first.split(/\s+/).length
  if (words < 4 || words > 60) return
  corpus.pair('title', first, code)
  corpus.text(`${first} ${code.slice(0, 600)}`)
}
