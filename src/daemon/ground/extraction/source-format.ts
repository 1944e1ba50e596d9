import { extname } from 'node:path'
import { isBinary } from '../../../lib/files/is-binary.js'
import type { TextFormat } from './extraction.js'
import { guessUtf16 } from './guess-charset.js'

/** The format suggested by first bytes and name; unpacking tells the formats within `zip` and `ole` apart. */
export type SourceFormat = TextFormat | 'pdf' | 'rtf' | 'zip' | 'ole' | 'binary'

export interface NamedSource {
  fileName: string
  contentType?: string | undefined
}

/** Bytes that `sourceFormat` needs. */
export const headBytes = 4096
/** Some programs write a line or more before the PDF header; readers search this far. */
const pdfHeadWithin = 1024

const byExtension: Readonly<Record<string, SourceFormat>> = {
  '.txt': 'text',
  '.text': 'text',
  '.log': 'text',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdown': 'markdown',
  '.json': 'json',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.csv': 'csv',
  '.tsv': 'csv',
}

const byMediaType: Readonly<Record<string, SourceFormat>> = {
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'application/json': 'json',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
}

/**
 * Chooses a reader. Signatures win: a PDF named `.txt` is a PDF. Text is classified by its declared type
 * unless that is `text/plain`, then by extension, then by whether it begins like HTML.
 * @param head the first `headBytes` bytes, or all of a shorter file.
 */
export function sourceFormat(head: Uint8Array, { fileName, contentType }: NamedSource): SourceFormat {
  const ascii = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headBytes)).toString('latin1')
  if (ascii.startsWith('PK\x03\x04') || ascii.startsWith('PK\x05\x06')) return 'zip'
  if (ascii.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')) return 'ole'
  if (ascii.startsWith('{\\rtf')) return 'rtf'
  if (ascii.slice(0, pdfHeadWithin).includes('%PDF-')) return 'pdf'
  if (isBinary(head) && guessUtf16(head) === undefined) return 'binary'
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const declared = byMediaType[mediaType]
  const named = byExtension[extname(fileName).toLowerCase()]
  // Servers declare any text as `text/plain`, so the extension wins over it.
  const told = declared === 'text' ? (named ?? declared) : (declared ?? named)
  return told ?? (/^(?:\xEF\xBB\xBF)?\s*<(?:!doctype\s+html|html)\b/i.test(ascii) ? 'html' : 'text')
}
