/** A statement of a file about itself, with its quote. */
export interface FileStatement {
  aspect: string
  claim: string
  value: string
  /** Literal text of the artifact. */
  quote: string
}

const maxStatements = 30
const maxValue = 300
/** Header lines such as `Author: Ada` must be within this many lines. */
const headLines = 30
/** Larger JSON is skipped, because parsing it would block the event loop. */
const maxJsonLength = 1024 * 1024

/**
 * Extracts the statements of a file about itself: its title, the `Name: value` lines at its beginning, the
 * plain members of JSON, the columns of a table. Anything doubtful is left to other readers.
 * @param kind the kind of its artifact
 */
export function statementsOf(file: { kind: string; title: string | null; text: string }): FileStatement[] {
  const members = membersOf(file)
  // A member named "title" takes precedence over a title derived from a heading.
  const title = members.some(({ claim }) => claim === 'title') ? [] : titleOf(file)
  const told = new Map<string, FileStatement>()
  for (const statement of [...title, ...members]) {
    const slot = `${statement.aspect}\n${statement.claim}`
    if (!told.has(slot)) told.set(slot, statement)
  }
  return [...told.values()].slice(0, maxStatements)
}

/** Returns words of an artifact to quote as evidence; undefined if it has none. */
export function wordsOf({ title, text }: { title: string | null; text: string }): string | undefined {
  if (title && text.includes(title)) return title
  return text.slice(0, 4000).trim().split('\n')[0]?.slice(0, maxValue) || undefined
}

function titleOf({ title, text }: { title: string | null; text: string }): FileStatement[] {
  if (!title || !text.includes(title)) return []
  return [{ aspect: 'about', claim: 'title', value: title, quote: title }]
}

function membersOf({ kind, text }: { kind: string; text: string }): FileStatement[] {
  if (kind === 'json') return jsonMembers(text)
  return kind === 'table' ? columns(text) : headerLines(text)
}

const headerLine = /^(?:[-*] )?\**(?<name>\p{L}[\p{L}\d _-]{1,40}?)\**:\** +(?<value>\S.*)$/u

function headerLines(text: string): FileStatement[] {
  const lines = text.slice(0, 16_384).split('\n').slice(0, headLines)
  return lines.flatMap(line => {
    const { name = '', value = '' } = headerLine.exec(line.trimEnd())?.groups ?? {}
    if (value === '' || value.length > maxValue) return []
    return [{ aspect: 'about', claim: name.trim().toLowerCase(), value, quote: line.trim() }]
  })
}

/** Uses only members that occur in the text exactly as JSON writes them, because that text is the quote. */
function jsonMembers(text: string): FileStatement[] {
  if (text.length > maxJsonLength) return []
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof member)
    const told = String(member).trim()
    if (!isPlain || name.trim() === '' || told === '' || told.length > maxValue) return []
    const quote = [': ', ':']
      .map(between => `${JSON.stringify(name)}${between}${JSON.stringify(member)}`)
      .find(one => isWholeMember(text, one))
    return quote ? [{ aspect: 'about', claim: name.slice(0, 255), value: told, quote }] : []
  })
}

/** Excludes matches that are the beginning of a longer number. */
function isWholeMember(text: string, quote: string): boolean {
  const at = text.indexOf(quote)
  return at >= 0 && /^[\s,}]/u.test(text.slice(at + quote.length, at + quote.length + 1))
}

function columns(table: string): FileStatement[] {
  const header = table.slice(0, table.indexOf('\n')).slice(0, 4000)
  const names = header.split(/(?<!\\)\|/u).slice(1, -1)
  return names.flatMap((cell, place) => {
    const name = cell.trim().slice(0, 255)
    if (name === '') return []
    return [
      {
        aspect: 'columns',
        claim: name,
        value: `column ${place + 1} of ${names.length}`,
        quote: header.trim(),
      },
    ]
  })
}
