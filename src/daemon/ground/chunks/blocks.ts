import { isSpace, takeTokens } from '../text/tokens.js'

/** A part of a Markdown text that stays in one chunk if it fits. Blocks follow each other without a gap. */
export interface Block {
  kind: 'heading' | 'fence' | 'table' | 'text'
  start: number
  /** Offset after the empty lines that follow the block. */
  end: number
  /** Heading level, 1 to 6; 0 for other kinds. */
  level: number
  /** End of a fence's first line, or of the line below a table's header. */
  headEnd: number
  /** The line that closes a fence; empty for all other kinds. */
  closing: string
}

interface Line {
  start: number
  /** Offset after the line break. */
  end: number
}

/** Longer lines cannot be headings, fences or list items, so a prefix is enough to classify them. */
const peekLength = 512
const maxHeading = 300
const frontMatterWithin = 8192
/** Lines per step of the generator. */
const linesAtOnce = 512

/** A walk over lines, in steps. */
type Walk<Result> = Generator<undefined, Result>

const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]|\r?\n|$)/
const underline = /^ {0,3}(={2,}|-{2,})[ \t]*\r?\n?$/
/** A run of more than 40 marks does not open a fence. */
const fenceOpening = /^([ \t]*)(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,40}(?!`)|~{3,40}(?!~))([^\n]*)/
const fenceClosing = /^[ \t]*(`{3,}|~{3,})[ \t]*\r?\n?$/
const listItem = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/
const frontMatter = /^---[ \t]*\r?\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

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

/**
 * Yields the blocks of a Markdown text in one pass, without backtracking and with one line of lookahead.
 * @returns `undefined` after each step, between blocks and within long ones.
 * @param plain the text is not Markdown: only empty lines separate blocks.
 */
export function* blocksOf(text: string, plain = false): Generator<Block | undefined> {
  const matter = plain ? undefined : frontMatter.exec(text.slice(0, frontMatterWithin))?.[0]
  let start = 0
  let line = yield* afterBlanks(text, nextLine(text, matter?.length ?? 0))
  if (matter !== undefined) {
    yield block('text', start, line.start)
    start = line.start
  }
  while (line.start < text.length) {
    const found = yield* plain ? plainText(text, line) : blockAt(text, line)
    line = yield* afterBlanks(text, nextLine(text, found.end))
    yield { ...found, start, end: line.start }
    start = line.start
  }
}

function* blockAt(text: string, line: Line): Walk<Block> {
  const peek = beginning(text, line)
  const level = atxHeading.exec(peek)?.[1]?.length
  if (level !== undefined) return block('heading', line.start, line.end, { level })
  const fence = fenceOpening.exec(peek)
  if (fence && !(fence[2]?.startsWith('`') && fence[3]?.includes('`')))
    return yield* fenceAt(text, line, fence)
  const next = nextLine(text, line.end)
  if (hasBar(text, line) && isDelimiterRow(text, next)) return yield* tableAt(text, line, next)
  return yield* paragraphAt(text, line)
}

/** A fence without a closing line runs to the end of the text. */
function* fenceAt(text: string, first: Line, [, indent = '', marks = '']: RegExpExecArray): Walk<Block> {
  const closes = (line: Line) => fenceClosing.exec(beginning(text, line))?.[1]?.startsWith(marks)
  const { end } = yield* skipLines(text, nextLine(text, first.end), line => !closes(line))
  return block('fence', first.start, end, { headEnd: first.end, closing: indent + marks })
}

function* tableAt(text: string, first: Line, delimiters: Line): Walk<Block> {
  const { start } = yield* skipLines(text, nextLine(text, delimiters.end), line => hasBar(text, line))
  return block('table', first.start, start, { headEnd: delimiters.end })
}

/** Lines up to an empty one or the start of another block; each list item is its own block. */
function* paragraphAt(text: string, first: Line): Walk<Block> {
  const second = nextLine(text, first.end)
  const level = first.end - first.start <= maxHeading ? levelBelow(beginning(text, second)) : 0
  if (level > 0) return block('heading', first.start, second.end, { level })
  const { start } = yield* skipLines(text, second, line => !isBlank(text, line) && !endsParagraph(text, line))
  return block('text', first.start, start)
}

function endsParagraph(text: string, line: Line): boolean {
  const peek = beginning(text, line)
  if (atxHeading.test(peek) || fenceOpening.test(peek) || listItem.test(peek)) return true
  return hasBar(text, line) && isDelimiterRow(text, nextLine(text, line.end))
}

function* plainText(text: string, first: Line): Walk<Block> {
  const { start } = yield* skipLines(text, first, line => !isBlank(text, line))
  return block('text', first.start, start)
}

function levelBelow(peek: string): number {
  const marks = underline.exec(peek)?.[1]
  if (marks === undefined) return 0
  return marks.startsWith('=') ? 1 : 2
}

function block(
  kind: Block['kind'],
  start: number,
  end: number,
  { level = 0, headEnd = start, closing = '' }: Partial<Block> = {},
): Block {
  return { kind, start, end, level, headEnd, closing }
}

function nextLine(text: string, start: number): Line {
  const newline = text.indexOf('\n', start)
  return { start, end: newline < 0 ? text.length : newline + 1 }
}

function afterBlanks(text: string, from: Line): Walk<Line> {
  return skipLines(text, from, line => isBlank(text, line))
}

/** Returns the first line for which `goesOn` is false, or the empty line at the end of the text. */
function* skipLines(text: string, from: Line, goesOn: (line: Line) => boolean): Walk<Line> {
  let line = from
  for (let lines = 1; line.start < text.length && goesOn(line); lines++) {
    if (lines % linesAtOnce === 0) yield
    line = nextLine(text, line.end)
  }
  return line
}

function isBlank(text: string, { start, end }: Line): boolean {
  for (let at = start; at < end; at++) {
    if (!isSpace(text.charCodeAt(at))) return false
  }
  return true
}

const beginning = (text: string, { start, end }: Line): string =>
  text.slice(start, Math.min(end, start + peekLength))

const hasBar = (text: string, { start, end }: Line): boolean => text.slice(start, end).includes('|')

/** Matches `| --- | :-: |` without a regular expression: backtracking would be too slow on long lines. */
function isDelimiterRow(text: string, { start, end }: Line): boolean {
  let dashes = 0
  let bars = 0
  for (let at = start; at < end; at++) {
    const character = text.charAt(at)
    if (character === '-') dashes++
    else if (character === '|') bars++
    else if (character !== ':' && character.trim() !== '') return false
  }
  return dashes > 0 && bars > 0
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
