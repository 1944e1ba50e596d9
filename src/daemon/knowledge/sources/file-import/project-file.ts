import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { charsetOf, decodeText } from '../../../ground/extraction/decode-text.js'
import type { Extracted, Format, Mark, NotExtracted } from '../../../ground/extraction/extraction.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { SearchedText } from '../core/kind.js'

/** Lines of a table between two turns of the event loop. */
const stepLines = 2000

/** A file as it was handed over. */
export interface FileToImport {
  fileName: string
  contentType?: string
  bytes: Buffer
}

/** What a file becomes: one artifact. */
export interface ProjectedFile {
  status: 'projected'
  format: Format
  /** Of the artifact: `text`, `markdown`, `json`, `html`, `table`, or `document` for what was converted. */
  kind: string
  title: string | null
  /** What is kept: the JSON itself, of everything else its text or Markdown. */
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
 * Reads a file into what is kept and searched of it (sources.md#importing-files).
 * @throws AppError `overloaded`; the signal's reason
 */
export async function projectFile(
  deps: Pick<Daemon, 'extractor'>,
  file: FileToImport,
  signal: AbortSignal,
): Promise<ProjectedFile | NotExtracted> {
  const read = await deps.extractor.extract({ ...file, signal })
  if (read.status === 'failed') return read
  const { format, title } = read
  const kind = kinds[format] ?? 'document'
  const text = await keptText(read, file)
  const searched = format === 'json' ? { text: read.markdown } : await searchedOf(deps, read, kind)
  return { status: 'projected', format, kind, title, text, searched }
}

/** JSON stays what it is: its form says what its words can't. */
async function keptText({ format, markdown }: Extracted, file: FileToImport): Promise<string> {
  if (format !== 'json') return markdown
  return inSlices(decodeText(file.bytes, charsetOf(file.contentType)))
}

/** Pages and sheets are known only now; a snapshot has none. */
async function searchedOf(
  deps: Pick<Daemon, 'extractor'>,
  { markdown: text, marks }: Extracted,
  kind: string,
): Promise<SearchedText | undefined> {
  return marks.length > 0 ? { text, marks } : searchedTextOf(deps, { kind, text })
}

/**
 * What is searched of an imported artifact, where that is not its text: JSON by what it says in words, a table with the
 * numbers of its rows.
 * @param kind of the artifact. @returns undefined where the text itself is searched.
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

/** A mark for each row of a Markdown table; the header belongs to the first. */
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
