import type { Reply } from '../../contract/api.js'
import { LineFault, maxLineBytes, readLines } from '../../lib/files/lines.js'
import { countOf } from '../../lib/text/count-of.js'
import { jsonOf } from '../../lib/text/json-of.js'
import { CliError } from '../shell/cli-error.js'

export type ImportReply = Reply<'POST /api/import'>

/** A part of a file that can be imported on its own. */
export interface ImportPart {
  text: string
  /** Added to line numbers of the part to get those of the file. */
  lineOffset: number
}

/** Characters per part; the daemon processes one in a few seconds. */
const partLength = 8 * 1024 * 1024
const maxListed = 5

/**
 * Splits an export between memories into parts, each with the header in front.
 * @throws CliError `invalid_input` for an empty or binary file.
 */
export async function* importParts(
  source: AsyncIterable<Buffer>,
  name: string,
  maxLength = partLength,
): AsyncGenerator<ImportPart> {
  let header: string | undefined
  let part = { text: '', lineOffset: 0, lines: 0 }
  try {
    for await (const { number, text } of readLines(source, maxLineBytes)) {
      header ??= text
      if (part.text.length >= maxLength && !isEvent(text)) {
        yield part
        part = { text: `${header}\n`, lineOffset: number - 2, lines: 1 }
      }
      // Empty lines are preserved, so that line numbers in messages are correct.
      const missing = number - part.lineOffset - part.lines - 1
      part.text += `${'\n'.repeat(missing)}${text}\n`
      part.lines += missing + 1
    }
  } catch (cause) {
    if (!(cause instanceof LineFault)) throw cause
    throw invalidInput(`line ${cause.line} of ${name} ${cause.message}`)
  }
  if (header === undefined) throw invalidInput(`${name} is empty`)
  yield part
}

/** An event belongs to the memory before it, so a part must not begin with one. */
function isEvent(text: string): boolean {
  return (jsonOf(text) as { kind?: unknown } | null | undefined)?.kind === 'event'
}

function invalidInput(message: string): CliError {
  return new CliError(message, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['Use a file written by memory export'],
  })
}

/** Combines the replies to the parts of one file. */
export function joinReplies(a: ImportReply, b: ImportReply): ImportReply {
  return {
    dryRun: b.dryRun,
    memories: a.memories + b.memories,
    imported: a.imported + b.imported,
    skipped: a.skipped + b.skipped,
    duplicates: a.duplicates + b.duplicates,
    duplicateOf: [...a.duplicateOf, ...b.duplicateOf],
    unsafe: a.unsafe + b.unsafe,
    events: a.events + b.events,
    complete: b.complete,
    faulty: a.faulty + b.faulty,
    faults: [...a.faults, ...b.faults],
  }
}

const afterFaults = ': correct them and import the file again; memories that already exist are skipped'

/** Describes the result of an import or its dry run. */
export function importLines(reply: ImportReply): string[] {
  const { dryRun, imported, events, skipped, duplicates, duplicateOf, unsafe, complete, faulty, faults } =
    reply
  const memories = countOf(imported, 'memory', 'memories')
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${memories} with ${countOf(events, 'change')}`,
    ...(skipped > 0 ? [`  ${skipped} skipped: ids that already exist`] : []),
    ...(duplicates > 0 ? [`  ${duplicates} skipped: another memory has the same content or key`] : []),
    ...duplicateOf
      .slice(0, maxListed)
      .map(({ line, id, existingId }) => `    line ${line}: ${id} duplicates ${existingId}`),
    ...(duplicates > maxListed ? [`    and ${duplicates - maxListed} more, see --json`] : []),
    ...(unsafe > 0 ? [`  ${unsafe} excluded from recall by the content safety policy`] : []),
    ...(complete ? [] : ['  The file has no end line; it may be incomplete']),
    ...(faulty > 0 ? [`  ${countOf(faulty, 'invalid line')} skipped${dryRun ? '' : afterFaults}`] : []),
    ...faults.map(({ line, message }) => `    line ${line}: ${message}`),
    ...(faulty > faults.length ? [`    and ${faulty - faults.length} more`] : []),
  ]
}
