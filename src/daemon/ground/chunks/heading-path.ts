import { takeTokens } from '../text/tokens.js'

/** Tokens that one heading, and all of them together, may take of a chunk. */
const maxHeadingTokens = 24
const maxPathTokens = 64
/** Longer headings are read no further. */
const readUnits = 300

/** The headings that a place of a text stands under. */
export interface HeadingPath {
  enter(level: number, source: string): void
  /** `title > h1 > h2`; empty where there is none. */
  text(): string
  tokens(): number
}

export function headingPath(title: string | null): HeadingPath {
  const top = clipped(title ?? '')
  let open: { level: number; text: string }[] = []
  let path = joined(top, [])
  return {
    enter: (level, source) => {
      open = open.filter(heading => heading.level < level)
      open.push({ level, text: clipped(headingText(source)) })
      path = joined(
        top,
        open.map(({ text }) => text),
      )
    },
    text: () => path,
    tokens: () => takeTokens(path, 0, path.length, maxPathTokens).tokens,
  }
}

/** The outermost and the innermost say most: what is too much is left out between them. */
function joined(top: string, headings: readonly string[]): string {
  // Most documents begin with their title as a heading.
  const parts = [top, ...headings].filter((part, i, all) => part !== '' && part !== all[i - 1])
  const join = (): string => parts.join(' > ')
  while (parts.length > 2 && takeTokens(join(), 0, join().length, maxPathTokens + 1).tokens > maxPathTokens)
    parts.splice(1, 1)
  return join()
}

function headingText(source: string): string {
  const [line = ''] = source.slice(0, readUnits).split(/\r?\n/u, 1)
  return line
    .replace(/^ {0,3}#{1,6}(?=[ \t]|$)/u, '')
    .replace(/[ \t]#+[ \t]*$/u, '')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/gu, '$1')
    .replace(/[*`\\]/gu, '')
}

function clipped(text: string): string {
  const plain = text.replace(/\s+/gu, ' ').trim()
  const { end } = takeTokens(plain, 0, plain.length, maxHeadingTokens)
  return end < plain.length ? `${plain.slice(0, end).trimEnd()}…` : plain
}

/** The headings of a path without the title, which stands with the text; null where there are none. */
export function headingsBelow(title: string | null, path: string): string | null {
  if (title === null || path === title) return path === title ? null : path || null
  return path.startsWith(`${title} > `) ? path.slice(title.length + 3) : path
}
