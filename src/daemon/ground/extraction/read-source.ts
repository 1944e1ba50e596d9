import { atOnce } from '../../../lib/concurrency/every-few-ms.js'
import { checked } from './checked-reading.js'
import { charsetOf } from './decode-text.js'
import type { Reading } from './extraction.js'
import { readCsv } from './read-csv.js'
import { readHtml } from './read-html.js'
import { readJson } from './read-json.js'
import { readOffice } from './read-office.js'
import { readPdf } from './read-pdf.js'
import type { NamedSource, SourceFormat } from './source-format.js'

/** What is read in the child process. */
export type FencedFormat = Exclude<SourceFormat, 'text' | 'markdown' | 'binary'>

export interface FencedSource extends NamedSource {
  source: FencedFormat
  bytes: Uint8Array
}

/** Reads one file by the reader of its format. To be called in the child process: hostile files hang it or fill memory. */
export async function readSource({ source, bytes, fileName, contentType }: FencedSource): Promise<Reading> {
  const reading = await read(source, bytes, fileName, charsetOf(contentType))
  return reading.status === 'failed' ? reading : checked(reading)
}

async function read(
  source: FencedFormat,
  bytes: Uint8Array,
  fileName: string,
  charset: string | undefined,
): Promise<Reading> {
  if (source === 'json') return atOnce(readJson(bytes, charset))
  if (source === 'html') return readHtml(bytes, charset)
  if (source === 'csv') return readCsv(bytes, charset)
  if (source === 'pdf') return readPdf(bytes, fileName)
  return readOffice(bytes, source, fileName)
}
