import { storableText } from './decode-text.js'

/** A run of text and its position on the page, in points from the lower left corner. */
export interface PdfItem {
  str: string
  x: number
  y: number
  width: number
  fontSize: number
  /** True if a line ends after it. */
  hasEOL: boolean
}

export interface PdfLine {
  text: string
  y: number
  fontSize: number
}

/** A gap wider than this share of the font size separates words. */
const wordGap = 0.2
/** Lines farther apart than this multiple of their font size belong to different paragraphs. */
const paragraphGap = 1.6
/** Short lines this much larger than most text are headings. */
const headingSize = 1.15
const headingLength = 200
const headingLevels = 4

/** The lines of a page in the order their text was written. */
export function linesOf(items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = []
  let pieces: string[] = []
  let before: PdfItem | undefined
  let size = 0
  const endLine = (): void => {
    const text = storableText(pieces.join('')).replace(/\s+/gu, ' ').trim()
    if (text !== '' && before) lines.push({ text, y: before.y, fontSize: size })
    pieces = []
    before = undefined
    size = 0
  }
  for (const item of items) {
    if (before && isOtherLine(before, item)) endLine()
    if (item.str !== '') {
      if (before && isGap(before, item)) pieces.push(' ')
      pieces.push(item.str)
      if (item.str.trim() !== '') size = Math.max(size, item.fontSize)
      before = item
    }
    if (item.hasEOL) endLine()
  }
  endLine()
  return lines
}

function isOtherLine(before: PdfItem, item: PdfItem): boolean {
  return Math.abs(before.y - item.y) > Math.max(before.fontSize, item.fontSize) * 0.7
}

/** Right-to-left text continues to the left of the previous item. */
function isGap(before: PdfItem, item: PdfItem): boolean {
  const least = wordGap * item.fontSize
  return item.x - (before.x + before.width) > least || before.x - (item.x + item.width) > least
}

/** @returns the Markdown of all pages and the offset of each page. */
export function markdownOfLines(pages: readonly (readonly PdfLine[])[]): {
  markdown: string
  starts: number[]
} {
  const levels = headingLevelsOf(pages)
  const pieces: string[] = []
  const starts: number[] = []
  let length = 0
  const push = (text: string): void => {
    pieces.push(text)
    length += text.length
  }
  for (const lines of pages) {
    if (length > 0) push('\n\n')
    starts.push(length)
    let before: PdfLine | undefined
    for (const line of lines) {
      const level = line.text.length <= headingLength ? levels.get(sizeOf(line)) : undefined
      if (before) push(isApart(before, line) || level !== undefined ? '\n\n' : '\n')
      push(level === undefined ? plain(line.text) : `${'#'.repeat(level)} ${line.text}`)
      before = line
    }
  }
  return { markdown: pieces.join(''), starts }
}

function isApart(before: PdfLine, line: PdfLine): boolean {
  const distance = before.y - line.y
  const size = Math.max(before.fontSize, line.fontSize)
  return distance < 0 || distance > paragraphGap * size || sizeOf(before) !== sizeOf(line)
}

/** Maps font sizes to heading levels: all sizes larger than the most common one. */
function headingLevelsOf(pages: readonly (readonly PdfLine[])[]): Map<number, number> {
  const characters = new Map<number, number>()
  for (const line of pages.flat())
    characters.set(sizeOf(line), (characters.get(sizeOf(line)) ?? 0) + line.text.length)
  const [usual = 0] = [...characters].sort(([, a], [, b]) => b - a)[0] ?? []
  const larger = [...characters.keys()].filter(size => size > usual * headingSize).sort((a, b) => b - a)
  return new Map(larger.map((size, i) => [size, Math.min(i + 1, headingLevels)]))
}

const sizeOf = ({ fontSize }: PdfLine): number => Math.round(fontSize * 2) / 2

/** Escapes marks that Markdown would take for a heading, fence or table. */
const plain = (line: string): string => line.replace(/^(?=#{1,6}\s|`{3}|~{3}|\|)/u, '\\')
