import { extname } from 'node:path'
import { headingTitle, storableText } from './decode-text.js'
import { withDeletedMarked, withoutMarks } from './deleted-text.js'
import {
  extractionFailure,
  type FailureReason,
  type Format,
  type Mark,
  type ReadingResult,
} from './extraction.js'
import type { SourceFormat } from './source-format.js'
import { withHiddenSheets, withShownNumbers } from './workbook.js'

/** Formats that share a reader; the first is the name the reader reports. */
const families: readonly (readonly Format[])[] = [
  ['docx', 'docm'],
  ['pptx', 'ppsx'],
  ['xlsx', 'xlsm', 'xls'],
]
const workbooks: ReadonlySet<Format> = new Set(['xlsx', 'xlsm', 'xls', 'ods'])

const zippedWorkbooks: ReadonlySet<Format> = new Set(['xlsx', 'xlsm'])

const encrypted = extractionFailure('encrypted', 'it is protected by a password; save a copy without one')
const reasons: Readonly<Record<string, [FailureReason, string]>> = {
  resourceLimit: ['resource_limit', 'it unpacks to far more data than a normal document'],
  malformed: ['malformed', 'it is damaged; export it again and retry'],
  missingPart: ['malformed', 'a part of it is missing; export it again and retry'],
  unsupported: ['unsupported', 'it is an archive or a program file, not a supported document'],
}

/** Reads office documents, RTF and EPUB with the native reader. */
export async function readOffice(
  bytes: Uint8Array,
  source: SourceFormat,
  fileName: string,
): Promise<ReadingResult> {
  const anydoc = await import('@firecrawl/anydoc').catch(() => undefined)
  if (!anydoc) return extractionFailure('unsupported', 'office documents are not supported on this platform')
  try {
    const format = formatOf(anydoc.formatFromBytes(bytes), source, fileName)
    const shown = zippedWorkbooks.has(format)
      ? await withShownNumbers(bytes)
      : withDeletedMarked(bytes, source)
    const read = storableText(withoutMarks(await anydoc.toMarkdownBytes(shown)))
    const isWorkbook = workbooks.has(format)
    const markdown = isWorkbook ? await withHiddenSheets(read, bytes, format) : read
    const marks = isWorkbook ? sheetMarks(markdown) : []
    return { status: 'extracted', format, title: headingTitle(markdown), markdown, marks }
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (code === 'encrypted' || (source === 'ole' && holdsEncrypted(bytes))) return encrypted
    if (code === 'unsupported' && isNamedOffice(fileName))
      return extractionFailure('malformed', 'it is damaged, or its extension does not match its content')
    const [reason, advice] = reasons[code] ?? ['malformed', `its parser failed: ${message}`]
    return extractionFailure(reason, advice)
  }
}

/**
 * Office stores an encrypted package in a compound file under this stream name, which the reader does not
 * detect.
 */
function holdsEncrypted(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('EncryptedPackage', 0, 'utf16le')
}

function isNamedOffice(fileName: string): boolean {
  return /\.(?:docx?|docm|od[tsp]|rtf|epub|pptx?|ppsx|xlsx?|xlsm)$/iu.test(fileName)
}

/** The reader reports only the family of a format; the file extension picks the member. */
function formatOf(found: string | null, source: SourceFormat, fileName: string): Format {
  const base = found as Format
  const family = families.find(([first]) => first === base) ?? [base]
  const named = extname(fileName).slice(1).toLowerCase() as Format
  if (base === 'xlsx' && source === 'ole') return 'xls'
  return family.includes(named) && named !== 'xls' ? named : base
}

/** A workbook with several sheets has a heading for each; lines of table cells never begin with one. */
function sheetMarks(markdown: string): Mark[] {
  return [...markdown.matchAll(/^## (.+)$/gmu)].map(({ index, 1: label = '' }) => ({
    at: index,
    kind: 'sheet',
    label,
  }))
}
