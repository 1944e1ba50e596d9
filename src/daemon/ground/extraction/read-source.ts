import Papa from 'papaparse'
import { runToEnd } from '../../../lib/concurrency/every-few-ms.js'
import { charsetOf, checkReading, decodeText, type Guess } from './decode-text.js'
import type { ReadingResult } from './extraction.js'
import { readHtml } from './read-html.js'
import { readJson } from './read-json.js'
import { readOffice } from './read-office.js'
import { readPdf } from './read-pdf.js'
import type { NamedSource, SourceFormat } from './source-format.js'

/** Formats read in the child process. */
export type FencedFormat = Exclude<SourceFormat, 'text' | 'markdown' | 'binary'>

export interface FencedSource extends NamedSource {
  source: FencedFormat
  bytes: Uint8Array
}

/**
 * Reads one file with the reader of its format. Call only in the child process: hostile files may hang or
 * exhaust it.
 */
export async function readSource({
  source,
  bytes,
  fileName,
  contentType,
}: FencedSource): Promise<ReadingResult> {
  const reading = await read(source, bytes, fileName, charsetOf(contentType))
  return reading.status === 'failed' ? reading : checkReading(reading)
}

async function read(
  source: FencedFormat,
  bytes: Uint8Array,
  fileName: string,
  charset: string | undefined,
): Promise<ReadingResult> {
  if (source === 'json') return runToEnd(readJson(bytes, charset))
  if (source === 'html') return readHtml(bytes, charset)
  if (source === 'csv') return readCsv(bytes, charset)
  if (source === 'pdf') return readPdf(bytes, fileName)
  return readOffice(bytes, source, fileName)
}

/** Notes of an exporting program above the table. */
const notes = /^(?:\ufeff?[ \t]*#[^\r\n]*(?:\r\n|\r|\n))+/u
/** Excel's first line, which names the delimiter. */
const delimiterLine = /^\ufeff?"?sep=(.)"?[;,\t]*(?:\r\n|\r|\n)/iu

/**
 * A table whose first row is the header, below notes that begin with `#`. A line such as `sep=;` or a guess
 * gives the delimiter. Columns without a single value at the end are left out.
 */
function readCsv(bytes: Uint8Array, charset?: string): ReadingResult {
  const guess: Guess = {}
  const text = runToEnd(decodeText(bytes, charset, guess))
  const [above = ''] = notes.exec(text) ?? []
  const [line = '', delimiter = ''] = delimiterLine.exec(text.slice(above.length)) ?? []
  const table = text.slice(above.length + line.length)
  const { data } = Papa.parse<string[]>(table, { skipEmptyLines: 'greedy', delimiter })
  const cells = data.map(row => row.map(cellText))
  const width = cells.reduce((most, row) => Math.max(most, row.findLastIndex(cell => cell !== '') + 1), 0)
  const [header = [], ...rows] = cells.map(row => row.slice(0, width))
  const lines = [rowOf(header), rowOf(header.map(() => '---')), ...rows.map(rowOf)]
  const before = above === '' ? '' : `${above.replaceAll('\ufeff', '').trim()}\n\n`
  const markdown = width === 0 ? before : `${before}${lines.join('\n')}\n`
  return { status: 'extracted', format: 'csv', title: null, markdown, marks: [], ...guess }
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** A line break or a bar would end the cell. */
function cellText(cell: string): string {
  return cell
    .trim()
    .replace(/(?<!\s)\s*[\r\n]\s*/gu, ' ')
    .replaceAll('|', '\\|')
}
