import { extname } from 'node:path'
import type { TextFormat } from './extraction.js'

/** What the first bytes and the name of a file say of it; `zip` and `ole` are told apart by who unpacks them. */
export type SourceFormat = TextFormat | 'pdf' | 'rtf' | 'zip' | 'ole' | 'binary'

export interface NamedSource {
  fileName: string
  contentType?: string | undefined
}

/** Bytes that `sourceFormat` looks at. */
export const headBytes = 4096
/** Some programs write a line or more before the head of a PDF; readers look so far. */
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
 * How to read a file. Signatures come first: a PDF named `.txt` is a PDF. Texts have none: among them the declared type
 * decides unless it is `text/plain`, then the name, then whether it begins as HTML does.
 * @param head its first bytes, `headBytes` of them where there are so many.
 */
export function sourceFormat(head: Uint8Array, { fileName, contentType }: NamedSource): SourceFormat {
  const ascii = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headBytes)).toString('latin1')
  if (ascii.startsWith('PK\x03\x04') || ascii.startsWith('PK\x05\x06')) return 'zip'
  if (ascii.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')) return 'ole'
  if (ascii.startsWith('{\\rtf')) return 'rtf'
  if (ascii.slice(0, pdfHeadWithin).includes('%PDF-')) return 'pdf'
  if (isBinary(ascii)) return 'binary'
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const declared = byMediaType[mediaType]
  const named = byExtension[extname(fileName).toLowerCase()]
  // The address of a page may end in `.md`; `text/plain` is what is said of any text.
  const told = declared === 'text' ? (named ?? declared) : (declared ?? named)
  return told ?? (/^(?:\xEF\xBB\xBF)?\s*<(?:!doctype\s+html|html)\b/i.test(ascii) ? 'html' : 'text')
}

/** Texts hold no NUL, but for UTF-16, which says so by its byte order mark. */
function isBinary(ascii: string): boolean {
  return ascii.includes('\0') && !ascii.startsWith('\xFF\xFE') && !ascii.startsWith('\xFE\xFF')
}
