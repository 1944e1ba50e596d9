import {
  type ExtractionFailure,
  extractionFailure,
  type Mark,
  maxCharacters,
  type ReadingResult,
} from './extraction.js'
import { linesOf, markdownOfLines, type PdfItem, type PdfLine } from './pdf-lines.js'
import { readOffice } from './read-office.js'

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
