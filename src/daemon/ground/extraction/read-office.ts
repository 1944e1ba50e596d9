import { extname } from 'node:path'
import { headingTitle, storableText } from './decode-text.js'
import {
  extractionFailure,
  type FailureReason,
  type Format,
  type Mark,
  type ReadingResult,
} from './extraction.js'
import type { SourceFormat } from './source-format.js'
import { compoundStreams, withHiddenSheets, withShownNumbers } from './workbook.js'

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

/**
 * Marks a deleted character in the bytes that go to the reader, and is taken out of the text that comes back.
 * Texts do not contain DEL.
 */
const deletedMark = 0x7f
const deletedMarks = /\x7f/gu
const leastLetter = 0x20

const wordIdentity = 0xa5ec
/** Places in the header of the offset and size of the tables of character formats and of pieces. */
const characterFormats = 0xfa
const pieceTable = 0x1a2
const pageBytes = 512
const markDeleted = 0x0800
/** Bytes of an operand by the three highest bits of its code; 0 for one that begins with its size. */
const operandBytes = [1, 1, 2, 4, 2, 2, 0, 3]

/** A range of bytes in the stream of the document. */
interface Run {
  from: number
  to: number
}

/** A control word with its number, a control symbol, a brace, or text. */
const rtfTokens = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'[0-9a-f]{2}|\\[^a-z]|[{}]|[^\\{}]+/giu

/** Symbol before a word whose group readers may leave out; not a character. */
const ignorable = '\\*'

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

/**
 * Marks text that tracked changes of Word deleted, which the reader of `.doc` and `.rtf` takes for text. A
 * damaged file is returned as it is: the reader says what is wrong with it.
 */
function withDeletedMarked(bytes: Uint8Array, source: SourceFormat): Uint8Array {
  try {
    return source === 'ole' ? markedWord(bytes) : source === 'rtf' ? markedRtf(bytes) : bytes
  } catch (error) {
    if (error instanceof RangeError) return bytes
    throw error
  }
}

/** Takes the marks out of the text that was read. */
function withoutMarks(text: string): string {
  return text.replace(deletedMarks, '')
}

/** Marks deleted characters of a Word 97 document in their places ([MS-DOC] 2.4.1, 2.6.1 sprmCFRMarkDel). */
function markedWord(bytes: Uint8Array): Uint8Array {
  const streams = compoundStreams(bytes)
  const document = streams?.get('WordDocument')
  if (!document || document.content.readUInt16LE(0) !== wordIdentity) return bytes
  const name = document.content.readUInt16LE(10) & 0x200 ? '1Table' : '0Table'
  const table = streams?.get(name)
  if (!table) return bytes
  const deleted = deletedRuns(document.content, table.content)
  if (deleted.length === 0) return bytes
  const marked = Uint8Array.from(bytes)
  for (const { from, to, width } of piecesOf(document.content, table.content))
    for (const run of deleted)
      for (let at = Math.max(from, run.from); at < Math.min(to, run.to); at += width) {
        const letter = document.content.readUIntLE(at, width)
        // Ends of paragraphs, cells and fields stay.
        if (letter < leastLetter) continue
        marked[document.placeOf(at)] = deletedMark
        if (width === 2) marked[document.placeOf(at + 1)] = 0
      }
  return marked
}

function deletedRuns(document: Buffer, table: Buffer): Run[] {
  const at = document.readUInt32LE(characterFormats)
  const count = (document.readUInt32LE(characterFormats + 4) - 4) / 8
  const runs: Run[] = []
  for (let i = 0; i < count; i++) {
    const number = table.readUInt32LE(at + 4 * (count + 1) + 4 * i) & 0x3f_ffff
    const page = document.subarray(number * pageBytes, (number + 1) * pageBytes)
    const inPage = page.readUInt8(pageBytes - 1)
    for (let j = 0; j < inPage; j++) {
      const format = 2 * page.readUInt8(4 * (inPage + 1) + j)
      const bytes = page.readUInt8(format)
      if (format > 0 && isDeleted(page.subarray(format + 1, format + 1 + bytes)))
        runs.push({ from: page.readUInt32LE(4 * j), to: page.readUInt32LE(4 * j + 4) })
    }
  }
  return runs
}

function isDeleted(format: Buffer): boolean {
  for (let at = 0; at + 3 <= format.length; ) {
    const code = format.readUInt16LE(at)
    if (code === markDeleted) return format[at + 2] !== 0
    at += 2 + (operandBytes[code >> 13] || 1 + format.readUInt8(at + 2))
  }
  return false
}

/** Returns the ranges of text, with one or two bytes a character. */
function piecesOf(document: Buffer, table: Buffer): (Run & { width: 1 | 2 })[] {
  let at = document.readUInt32LE(pieceTable)
  while (table[at] === 1) at += 3 + table.readUInt16LE(at + 1)
  const count = (table.readUInt32LE(at + 1) - 4) / 12
  const first = at + 5
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, i) => {
    const characters = table.readUInt32LE(first + 4 * i + 4) - table.readUInt32LE(first + 4 * i)
    const place = table.readUInt32LE(first + 4 * (count + 1) + 8 * i + 2)
    const width = place & 0x4000_0000 ? 1 : 2
    const from = width === 1 ? (place & 0x3fff_ffff) / 2 : place
    return { from, to: from + characters * width, width }
  })
}

/** Leaves out the characters from `\deleted` to `\deleted0`, `\plain`, or the end of the group. */
function markedRtf(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  if (!text.includes('\\deleted')) return bytes
  const outer: boolean[] = []
  let isDeletedNow = false
  const kept = text.replace(rtfTokens, (token, word?: string, number?: string) => {
    if (token === '{') outer.push(isDeletedNow)
    else if (token === '}') isDeletedNow = outer.pop() ?? false
    else if (word === 'deleted') isDeletedNow = number !== '0'
    else if (word === 'plain') isDeletedNow = false
    else if (isDeletedNow && token !== ignorable && (word === undefined || word === 'u')) return ''
    return token
  })
  return Buffer.from(kept, 'latin1')
}
