import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { charsetOf, decodeText } from '../../../ground/extraction/decode-text.js'
import type { ExtractedText, ExtractionFailure, Format, Mark } from '../../../ground/extraction/extraction.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { SearchedText } from '../core/kind.js'

/** Table lines per turn of the event loop. */
const stepLines = 2000

/** A file before extraction. */
export interface FileToImport {
  fileName: string
  contentType?: string
  bytes: Buffer
}

/** The artifact made from one file. */
export interface ProjectedFile {
  status: 'projected'
  format: Format
  /**
   * The artifact's kind: `text`, `markdown`, `json`, `html`, `table`, or `document` for converted formats.
   */
  kind: string
  title: string | null
  /** The stored text: JSON unchanged, anything else as text or Markdown. */
  text: string
  searched: SearchedText | undefined
}

const kinds: Readonly<Partial<Record<Format, string>>> = {
  text: 'text',
  markdown: 'markdown',
  json: 'json',
  html: 'html',
  csv: 'table',
}

/**
 * Converts a file to its stored and its searched text (sources.md#importing-files).
 * @throws AppError `overloaded`; the signal's reason
 */
export async function projectFile(
  deps: Pick<Daemon, 'extractor'>,
  file: FileToImport,
  signal: AbortSignal,
): Promise<ProjectedFile | ExtractionFailure> {
  const read = await deps.extractor.extract({ ...file, signal })
  if (read.status === 'failed') return read
  const { format, title } = read
  const kind = kinds[format] ?? 'document'
  const text = await storedText(read, file)
  const searched = format === 'json' ? { text: read.markdown } : await searchedOf(deps, read, kind)
  return { status: 'projected', format, kind, title, text, searched }
}

/** JSON is stored unchanged, because its sentences do not carry its structure. */
async function storedText({ format, markdown }: ExtractedText, file: FileToImport): Promise<string> {
  if (format !== 'json') return markdown
  return inSlices(decodeText(file.bytes, charsetOf(file.contentType)))
}

/** Pages and sheets are only known at extraction; a snapshot has none. */
async function searchedOf(
  deps: Pick<Daemon, 'extractor'>,
  { markdown: text, marks }: ExtractedText,
  kind: string,
): Promise<SearchedText | undefined> {
  return marks.length > 0 ? { text, marks } : searchedTextOf(deps, { kind, text })
}

/**
 * Returns the searched text of an imported artifact if it differs from the stored text: JSON as sentences, a
 * table with its row numbers.
 * @param kind the kind of the artifact
 * @returns undefined if the stored text is searched
 */
export async function searchedTextOf(
  { extractor }: Pick<Daemon, 'extractor'>,
  { kind, text }: { kind: string; text: string },
): Promise<SearchedText | undefined> {
  if (kind === 'text') return { text, plain: true }
  if (kind === 'table') return { text, marks: await inSlices(rowMarks(text)) }
  if (kind !== 'json') return undefined
  const read = await extractor.extract({ bytes: Buffer.from(text), fileName: 'data.json' })
  return read.status === 'extracted' ? { text: read.markdown } : undefined
}

/** Marks each row of a Markdown table; the header belongs to the first row. */
function* rowMarks(table: string): Generator<undefined, Mark[]> {
  const marks: Mark[] = [{ at: 0, kind: 'row', label: '1' }]
  let from = lineAfter(table, lineAfter(table, lineAfter(table, 0)))
  for (let row = 2; from < table.length; row++) {
    marks.push({ at: from, kind: 'row', label: String(row) })
    from = lineAfter(table, from)
    if (row % stepLines === 0) yield
  }
  return marks
}

function lineAfter(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end + 1
}
