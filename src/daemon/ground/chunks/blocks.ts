import { isSpace } from '../text/tokens.js'

/** A part of a Markdown text that is kept together where it fits. Blocks follow each other without a gap. */
export interface Block {
  kind: 'heading' | 'fence' | 'table' | 'text'
  start: number
  /** Behind the empty lines that follow it. */
  end: number
  /** Of a heading: 1 to 6. */
  level: number
  /** Of a fence: behind its first line; of a table: behind the line below its header. */
  headEnd: number
  /** Of a fence: the line that closes it. Empty for all others. */
  closing: string
}

interface Line {
  start: number
  /** Behind its line break. */
  end: number
}

/** Longer lines are no headings, fences or list items; their beginning says what they are. */
const lookAt = 512
const maxHeading = 300
const frontMatterWithin = 8192
/** Lines that are walked over in one step. */
const linesAtOnce = 512

/** A walk over lines, in steps. */
type Walk<Found> = Generator<undefined, Found>

const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]|\r?\n|$)/
const underline = /^ {0,3}(={2,}|-{2,})[ \t]*\r?\n?$/
/** Of more marks than anybody writes none begins. */
const fenceOpening = /^([ \t]*)(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,40}(?!`)|~{3,40}(?!~))([^\n]*)/
const fenceClosing = /^[ \t]*(`{3,}|~{3,})[ \t]*\r?\n?$/
const listItem = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/
const frontMatter = /^---[ \t]*\r?\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/**
 * The blocks of a Markdown text in one walk over its lines: nothing looks back, or ahead by more than a line.
 * @returns between them, and within those of many lines, `undefined` after each step.
 * @param plain the text is no Markdown: only empty lines part it.
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
    // Blank lines before the first block are part of it.
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

/** A fence that nobody closes runs to the end. */
function* fenceAt(text: string, first: Line, [, indent = '', marks = '']: RegExpExecArray): Walk<Block> {
  const closes = (line: Line) => fenceClosing.exec(beginning(text, line))?.[1]?.startsWith(marks)
  const { end } = yield* walked(text, nextLine(text, first.end), line => !closes(line))
  return block('fence', first.start, end, { headEnd: first.end, closing: indent + marks })
}

function* tableAt(text: string, first: Line, delimiters: Line): Walk<Block> {
  const { start } = yield* walked(text, nextLine(text, delimiters.end), line => hasBar(text, line))
  return block('table', first.start, start, { headEnd: delimiters.end })
}

/** Lines up to an empty one or the begin of something else; an item of a list is a block of its own. */
function* paragraphAt(text: string, first: Line): Walk<Block> {
  const second = nextLine(text, first.end)
  const level = first.end - first.start <= maxHeading ? levelBelow(beginning(text, second)) : 0
  if (level > 0) return block('heading', first.start, second.end, { level })
  const { start } = yield* walked(text, second, line => !isBlank(text, line) && !endsParagraph(text, line))
  return block('text', first.start, start)
}

function endsParagraph(text: string, line: Line): boolean {
  const peek = beginning(text, line)
  if (atxHeading.test(peek) || fenceOpening.test(peek) || listItem.test(peek)) return true
  return hasBar(text, line) && isDelimiterRow(text, nextLine(text, line.end))
}

function* plainText(text: string, first: Line): Walk<Block> {
  const { start } = yield* walked(text, first, line => !isBlank(text, line))
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
  return walked(text, from, line => isBlank(text, line))
}

/** The first line from this one on for which `goesOn` does not hold; the empty one at the end where it holds for all. */
function* walked(text: string, from: Line, goesOn: (line: Line) => boolean): Walk<Line> {
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
  text.slice(start, Math.min(end, start + lookAt))

const hasBar = (text: string, { start, end }: Line): boolean => text.slice(start, end).includes('|')

/** `| --- | :-: |`, told without a regular expression: those try a long line in too many ways. */
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
