import { storableText } from './decode-text.js'
import {
  type ExtractionFailure,
  extractionFailure,
  type Mark,
  maxCharacters,
  type ReadingResult,
} from './extraction.js'
import { readOffice } from './read-office.js'

/** A run of text and its position on the page, in points from the lower left corner. */
interface PdfItem {
  str: string
  x: number
  y: number
  width: number
  fontSize: number
  /** True if a line ends after it. */
  hasEOL: boolean
}

interface PdfLine {
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
function linesOf(items: readonly PdfItem[]): PdfLine[] {
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
function markdownOfLines(pages: readonly (readonly PdfLine[])[]): {
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

/**
 * Reads a PDF page by page in the order its text was written, with pages as marks. Files pdf.js cannot open
 * go to the native reader, which reports no pages and mixes up columns and right-to-left text.
 */
export async function readPdf(bytes: Uint8Array, fileName: string): Promise<ReadingResult> {
  // Loaded on first use because it is large. It takes ownership of the bytes and rejects a Buffer.
  const { getDocumentProxy } = await import('unpdf')
  const document = await openOr(() => getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 }))
  if (document === undefined) return readOffice(bytes, 'pdf', fileName)
  if ('status' in document) return document
  const pages = await readPages(document)
  if (!pages)
    return extractionFailure('too_much_text', `it contains more than ${maxCharacters} characters of text`)
  const title = await titleOf(document)
  const { markdown, starts } = markdownOfLines(pages)
  const marks = starts.map((at, i): Mark => ({ at, kind: 'page', label: String(i + 1) }))
  return { status: 'extracted', format: 'pdf', title, markdown, marks }
}

type PdfDocument = Awaited<ReturnType<typeof import('unpdf')['getDocumentProxy']>>

async function openOr(
  open: () => Promise<PdfDocument>,
): Promise<PdfDocument | ExtractionFailure | undefined> {
  try {
    return await open()
  } catch (error) {
    if ((error as Error).name !== 'PasswordException') return undefined
    return extractionFailure('encrypted', 'it is protected by a password; save a copy without one')
  }
}

/** @returns undefined when the pages exceed the text limit. */
async function readPages(document: PdfDocument): Promise<PdfLine[][] | undefined> {
  const pages: PdfLine[][] = []
  let characters = 0
  for (let number = 1; number <= document.numPages; number++) {
    const lines = await readPage(document, number)
    characters += lines.reduce((sum, { text }) => sum + text.length, 0)
    if (characters > maxCharacters) return undefined
    pages.push(lines)
  }
  return pages
}

/** An unreadable page does not fail the others. */
async function readPage(document: PdfDocument, number: number): Promise<PdfLine[]> {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return linesOf((items as RawItem[]).flatMap(item => ('str' in item ? [itemOf(item)] : [])))
  } catch {
    return []
  }
}

interface RawItem {
  str: string
  transform: number[]
  width: number
  hasEOL: boolean
}

function itemOf({ str, transform: [a = 0, b = 0, , , x = 0, y = 0], width, hasEOL }: RawItem): PdfItem {
  return { str, x, y, width, fontSize: Math.hypot(a, b), hasEOL }
}

/** Programs often write the file's name or their own name instead of a title. */
async function titleOf(document: PdfDocument): Promise<string | null> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }))
  const { Title: title } = info as { Title?: unknown }
  const named = typeof title === 'string' ? title.trim() : ''
  return named === '' || /^untitled|\.\w{2,4}$|^microsoft word - /iu.test(named) ? null : named
}
