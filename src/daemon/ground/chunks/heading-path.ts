import { takeTokens } from '../text/tokens.js'

/** Token limits in a chunk for one heading and for the whole path. */
const maxHeadingTokens = 24
const maxPathTokens = 64
/** Longer headings are cut here before tokens are counted. */
const readUnits = 300

/** The headings above a position in the text. */
export interface HeadingPath {
  enter(level: number, source: string): void
  /** `title > h1 > h2`; empty without title and headings. */
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

/** If the path is too long, headings in the middle are dropped: the outermost and innermost matter most. */
function joined(top: string, headings: readonly string[]): string {
  // Most documents repeat their title as the first heading.
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

/** The path's headings without the title, which is shown separately; null without headings. */
export function headingsBelow(title: string | null, path: string): string | null {
  if (title === null || path === title) return path === title ? null : path || null
  return path.startsWith(`${title} > `) ? path.slice(title.length + 3) : path
}
