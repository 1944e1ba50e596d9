import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import type { Mark } from '../../../ground/extraction/extraction.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { SearchedText } from '../core/kind.js'

/** Lines of a table between two turns of the event loop. */
const stepLines = 2000

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
