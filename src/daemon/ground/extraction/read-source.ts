import Papa from 'papaparse'
import { runToEnd } from '../../../lib/concurrency/every-few-ms.js'
import { checkReading } from './check-reading.js'
import { charsetOf, decodeText, type Guess } from './decode-text.js'
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

/** Excel's first line, which names the delimiter. */
const delimiterLine = /^\ufeff?"?sep=(.)"?[;,\t]*(?:\r\n|\r|\n)/iu

/** A table whose first row is the header; a line such as `sep=;` or a guess gives the delimiter. */
function readCsv(bytes: Uint8Array, charset?: string): ReadingResult {
  const guess: Guess = {}
  const text = runToEnd(decodeText(bytes, charset, guess))
  const [line = '', delimiter = ''] = delimiterLine.exec(text) ?? []
  const { data } = Papa.parse<string[]>(text.slice(line.length), { skipEmptyLines: 'greedy', delimiter })
  const [header = [], ...rows] = data.map(cells => cells.map(cellText))
  const lines = [rowOf(header), rowOf(header.map(() => '---')), ...rows.map(rowOf)]
  const markdown = data.length === 0 ? '' : `${lines.join('\n')}\n`
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
