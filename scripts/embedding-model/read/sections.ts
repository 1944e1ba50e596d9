/** A part of a page: the headings above it, outermost first, and its paragraphs. */
export interface Section {
  titles: string[]
  paragraphs: string[]
}

/** Collects the sections of a page that is read line by line. */
function collector() {
  const sections: Section[] = []
  const titles = new Map<number, string>()
  let paragraphs: string[] = []
  let lines: string[] = []
  const endParagraph = () => {
    if (lines.length > 0) paragraphs.push(lines.join(' '))
    lines = []
  }
  const endSection = () => {
    endParagraph()
    if (paragraphs.length > 0) sections.push({ titles: ordered(titles), paragraphs })
    paragraphs = []
  }
  return {
    line: (line: string) => (line.trim() ? void lines.push(line) : endParagraph()),
    endParagraph,
    title(level: number, text: string) {
      endSection()
      for (const deeper of [...titles.keys()]) if (deeper >= level) titles.delete(deeper)
      titles.set(level, text)
    },
    add: (section: Section) => void sections.push(section),
    finish() {
      endSection()
      return sections
    },
  }
}

function ordered(titles: ReadonlyMap<number, string>): string[] {
  return [...titles].sort(([a], [b]) => a - b).map(([, title]) => title)
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' }

export function unescapeEntities(text: string): string {
  return text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code < 0x11_0000 ? String.fromCodePoint(code) : ' '
  })
}

export function withoutTags(text: string): string {
  return unescapeEntities(text.replace(/<[^>]{0,2000}>/g, ' '))
}

/** A line of Markdown without its markup. */
export function plainMarkdown(line: string): string {
  const plain = line
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\[[^\]]*\]/g, '$1')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/\{\{[^}]*\}\}|:::/g, ' ')
  return withoutTags(plain).replace(/[`*|>{}]+|^\s*[-+]\s/g, ' ')
}

export function markdownSections(page: string): Section[] {
  const pieces = collector()
  const front = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(page)
  const title = front && /^title:\s*["']?(.*?)["']?\s*$/m.exec(front[1]!)?.[1]
  const description = front && /^description:\s*["']?(.*?)["']?\s*$/m.exec(front[1]!)?.[1]
  if (title) pieces.title(1, title)
  if (title && description) pieces.add({ titles: [title], paragraphs: [description] })
  let inCode = false
  for (const line of page
    .slice(front?.[0].length ?? 0)
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .split(/\r?\n/)) {
    const heading = !inCode && /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)
    if (/^\s*(```|~~~)/.test(line)) {
      pieces.endParagraph()
      inCode = !inCode
    } else if (heading) pieces.title(heading[1]!.length, plainMarkdown(heading[2]!))
    else pieces.line(inCode ? line : plainMarkdown(line))
  }
  return pieces.finish()
}

/** A line of reStructuredText without its markup. */
export function plainRst(line: string): string {
  return line
    .replace(/:[\w:-]+:`([^`<]*)(<[^>]*>)?`/g, '$1')
    .replace(/`([^`<]*)(<[^>]*>)?`_*/g, '$1')
    .replace(/https?:\/\/\S+|[`*|]+/g, ' ')
}

const underline = /^([=\-~^"'#*+.`:])\1{2,}\s*$/
const toldDirectives = ['note', 'warning', 'tip', 'method', 'function', 'class', 'attribute', 'versionadded']

export function rstSections(page: string): Section[] {
  const pieces = collector()
  const marks: string[] = []
  const lines = page.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const below = lines[at + 1] ?? ''
    if (
      line.trim() &&
      underline.test(below) &&
      !underline.test(line) &&
      below.trim().length >= line.trim().length - 2
    ) {
      if (!marks.includes(below[0]!)) marks.push(below[0]!)
      pieces.title(marks.indexOf(below[0]!), plainRst(line))
      at += 1
    } else if (!underline.test(line)) pieces.line(plainRst(directiveText(line)))
  }
  return pieces.finish()
}

function directiveText(line: string): string {
  const directive = /^\s*\.\. ([\w:-]+)::\s*(.*)$/.exec(line)
  if (directive) return toldDirectives.includes(directive[1]!) ? directive[2]! : ''
  return /^\s*(\.\. |:\w+:)/.test(line) ? '' : line
}

/** Parses headings and paragraphs of AsciiDoc. */
export function asciidocSections(page: string): Section[] {
  const pieces = collector()
  for (const line of page.split(/\r?\n/)) {
    const heading = /^(={1,5})\s+(\S.*?)$/.exec(line)
    if (heading) pieces.title(heading[1]!.length, plainRst(heading[2]!))
    else if (/^(\[.*\]|[-=.*_+/]{3,}|:[\w-]+:.*|\/\/.*|ifdef.*|endif.*|include::.*|image::.*)$/.test(line))
      pieces.endParagraph()
    else pieces.line(plainRst(line.replace(/\w+:[^\s[]*\[([^\]]*)\]/g, '$1')))
  }
  return pieces.finish()
}

const markupParts =
  /<(h[1-6]|title|refname|refpurpose)\b[^>]*>([\s\S]*?)<\/\1>|<(p|para|simpara|li|dd|td|pre|programlisting|note)\b[^>]*>([\s\S]*?)(?=<\/\3>|<(?:p|para|simpara|li|dd|td|pre|programlisting|note|h[1-6]|title)\b)/g

/** Parses HTML and DocBook: paragraphs under the page's title and the nearest heading. */
export function markupSections(page: string): Section[] {
  const sections: Section[] = []
  let titles: string[] = []
  let paragraphs: string[] = []
  const end = () => {
    if (paragraphs.length > 0) sections.push({ titles, paragraphs })
    paragraphs = []
  }
  for (const [, kind, title, , paragraph] of page.replace(/<!--[\s\S]*?-->/g, ' ').matchAll(markupParts)) {
    if (kind === 'refpurpose') paragraphs.push(withoutTags(title!))
    else if (kind) {
      end()
      titles =
        titles.length === 0 || kind === 'h1' ? [withoutTags(title!)] : [titles[0]!, withoutTags(title!)]
    } else paragraphs.push(withoutTags(paragraph!))
  }
  end()
  return sections
}
