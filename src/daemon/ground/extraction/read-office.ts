import { extname } from 'node:path'
import { headingTitle, storableText } from './decode-text.js'
import { type FailureReason, type Format, failed, type Mark, type Reading } from './extraction.js'
import type { SourceFormat } from './source-format.js'

/** Formats that one reader reads alike; the first is what it calls them. */
const families: readonly (readonly Format[])[] = [
  ['docx', 'docm'],
  ['pptx', 'ppsx'],
  ['xlsx', 'xlsm', 'xls'],
]
const workbooks: ReadonlySet<Format> = new Set(['xlsx', 'xlsm', 'xls', 'ods'])

const encrypted = failed('encrypted', 'it is protected by a password; save a copy without one')
const reasons: Readonly<Record<string, [FailureReason, string]>> = {
  resourceLimit: ['resource_limit', 'it unpacks to more than any honest document does'],
  malformed: ['malformed', 'it is damaged; open it where it was made and save it anew'],
  missingPart: ['malformed', 'a part of it is missing; open it where it was made and save it anew'],
  unsupported: ['unsupported', 'it is an archive or a file of a program, but no document that can be read'],
}

/** Office documents, RTF and EPUB by the native reader. */
export async function readOffice(
  bytes: Uint8Array,
  source: SourceFormat,
  fileName: string,
): Promise<Reading> {
  const anydoc = await import('@firecrawl/anydoc').catch(() => undefined)
  if (!anydoc) return failed('unsupported', 'office documents cannot be read on this platform')
  try {
    const markdown = storableText(await anydoc.toMarkdownBytes(bytes))
    const format = formatOf(anydoc.formatFromBytes(bytes), source, fileName)
    const marks = workbooks.has(format) ? sheetMarks(markdown) : []
    return { status: 'extracted', format, title: headingTitle(markdown), markdown, marks }
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (code === 'encrypted' || (source === 'ole' && holdsEncrypted(bytes))) return encrypted
    if (code === 'unsupported' && isNamedOffice(fileName))
      return failed('malformed', 'it is damaged, or not what its name says')
    const [reason, advice] = reasons[code] ?? ['malformed', `its reader gave up: ${message}`]
    return failed(reason, advice)
  }
}

/** Office puts a package with a password into a compound file, in a stream of this name; its reader knows no such file. */
function holdsEncrypted(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('EncryptedPackage', 0, 'utf16le')
}

function isNamedOffice(fileName: string): boolean {
  return /\.(?:docx?|docm|od[tsp]|rtf|epub|pptx?|ppsx|xlsx?|xlsm)$/iu.test(fileName)
}

/** A format whose reader does not tell its kinds apart is called as the file is, if it is one of them. */
function formatOf(found: string | null, source: SourceFormat, fileName: string): Format {
  const base = found as Format
  const family = families.find(([first]) => first === base) ?? [base]
  const named = extname(fileName).slice(1).toLowerCase() as Format
  if (base === 'xlsx' && source === 'ole') return 'xls'
  return family.includes(named) && named !== 'xls' ? named : base
}

/** A workbook of several sheets has a heading for each; in the cells of a table no line begins with one. */
function sheetMarks(markdown: string): Mark[] {
  return [...markdown.matchAll(/^## (.+)$/gmu)].map(({ index, 1: label = '' }) => ({
    at: index,
    kind: 'sheet',
    label,
  }))
}
