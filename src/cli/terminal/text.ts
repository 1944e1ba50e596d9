import { eastAsianWidth } from 'get-east-asian-width'

/** Colours a text, or returns it unchanged. */
export type Paint = (text: string) => string

const printableAscii = /^[\x20-\x7e]*$/
/** Control characters could manipulate the terminal; direction overrides could disguise a text. */
const unsafe = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** Emoji take two columns, whatever the width of their first character. */
const picture = /\p{Emoji_Presentation}|\ufe0f/u
const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Mn}\p{Me}]+$/u

/** Prepares stored text for printing in one line: collapses white space and removes control characters. */
export function plainLine(text: string): string {
  return printableAscii.test(text) ? text : text.replace(/\s+/gu, ' ').replace(unsafe, '')
}

/**
 * Prepares stored text for printing in several lines: keeps line ends and tabs, removes other control
 * characters.
 */
export function plainLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unsafe, found => (found === '\n' || found === '\t' ? found : ''))
}

/** Returns the lines of a memory as it was given, or of its content; each is wrapped to `width` if given. */
export function shownLines(
  { content, verbatim }: { content: string; verbatim?: string | undefined },
  width: number | undefined,
): string[] {
  const lines = verbatim === undefined ? [plainLine(content)] : plainLines(verbatim).split('\n')
  return width === undefined ? lines : lines.flatMap(line => wrapText(line, width))
}

/** Returns the width of a text in terminal columns; East Asian wide characters and emoji take two. */
export function displayWidth(text: string): number {
  return printableAscii.test(text)
    ? text.length
    : graphemes(text).reduce((sum, part) => sum + graphemeWidth(part), 0)
}

/** Cuts the text to `width` columns with an ellipsis. */
export function clipText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return width < 1 ? '' : `${headOf(text, width - 1).trimEnd()}…`
}

/** Cuts the text like {@link clipText}, but between words where that costs at most a third of the width. */
export function clipWords(text: string, width: number): string {
  const cut = clipText(text, width)
  const rest = text.slice(cut.length - 1)
  if (cut === text || !cut.endsWith('…') || rest.startsWith(' ')) return cut
  const space = cut.lastIndexOf(' ')
  return space > 0 && displayWidth(cut.slice(space)) <= width / 3 ? `${cut.slice(0, space).trimEnd()}…` : cut
}

/** Pads the text with spaces to `width` columns, or cuts it. */
export function padText(text: string, width: number): string {
  const clipped = clipText(text, width)
  return clipped + ' '.repeat(Math.max(0, width - displayWidth(clipped)))
}

/** Wraps at spaces, and inside words longer than a line. @returns lines of at most `width` columns. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if (displayWidth(joined) <= width) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (displayWidth(line) > width) {
      const head = headOf(line, width) || line
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}

/** Wraps the text and returns its first lines; an ellipsis ends the last one if more follow. */
export function firstLines(text: string, width: number, count: number): string[] {
  const all = wrapText(text, width)
  const shown = all.slice(0, count)
  if (all.length > count && count > 0) shown[count - 1] = clipText(`${shown[count - 1]} …`, width)
  return shown
}

/**
 * Wraps an indented line, or one of a name and a value, to `width` columns; continuation lines align with the
 * value.
 */
export function wrapBelow(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const head = /^\s*(?:\S+\s{2,})?/u.exec(line)?.[0] ?? ''
  const indent = head.length < width / 2 ? head : ''
  const [first = '', ...others] = wrapText(line.slice(indent.length), width - indent.length)
  return [indent + first, ...others.map(other => ' '.repeat(indent.length) + other)]
}

/** Formats milliseconds for people: `0.8 ms`, `12 ms`, `1.4 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

function headOf(text: string, width: number): string {
  if (printableAscii.test(text)) return text.slice(0, width)
  let used = 0
  let head = ''
  for (const part of graphemes(text)) {
    used += graphemeWidth(part)
    if (used > width) break
    head += part
  }
  return head
}

function graphemes(text: string): string[] {
  return Array.from(
    new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text),
    part => part.segment,
  )
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0
  return picture.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) as number)
}
