import { Flags, type Interfaces } from '@oclif/core'
import type { Reply } from '../../contract/api.js'
import { memoryTypes } from '../../contract/ground/wire-names.js'
import { maxLineBytes, readLines } from '../../lib/files/lines.js'
import { CliError } from '../shell/cli-error.js'
import { writeToStdout, writeWholeFile } from '../shell/write-whole-file.js'
import { filterFlags, fractionFlag, fractionOf, momentOf } from './flags.js'
import { readingProjectFlags } from './project-flags.js'

/** Flags of export: the filters and the output file. */
export const exportFlags = {
  out: Flags.string({ summary: 'Write to this file instead of stdout.', char: 'o', helpValue: 'FILE' }),
  force: Flags.boolean({ summary: 'Replace the file if it exists.', dependsOn: ['out'] }),
  encrypt: Flags.boolean({
    summary: 'Encrypt the file with age for the key of the workspace and backup.recipients.',
    dependsOn: ['out'],
  }),
  deleted: Flags.boolean({ summary: 'Include forgotten memories.' }),
  type: Flags.string({ summary: 'Only memories of this type.', options: memoryTypes, helpGroup: 'FILTER' }),
  ...filterFlags,
  project: readingProjectFlags.project,
  scope: Flags.string({ summary: 'Only memories of this scope.', helpValue: 'NAME', helpGroup: 'FILTER' }),
  pinned: Flags.boolean({ summary: 'Only pinned memories.', allowNo: true, helpGroup: 'FILTER' }),
  'importance-min': fractionFlag({
    summary: 'Only memories of at least this importance.',
    helpGroup: 'FILTER',
  }),
}

type Line = Reply<'GET /api/export'>

export interface ExportResult {
  memories: number
  events: number
  bytes: number
}

/** Receives the number of written memories and the total. */
export type OnExported = (memories: number, total: number | undefined) => void

/**
 * Streams an export to stdout; stops if the reader closes the pipe.
 * @throws CliError `export_incomplete`.
 */
export async function exportToStdout(source: AsyncIterable<Buffer>): Promise<void> {
  const { lines } = checked(source, () => {})
  await writeToStdout(process.stdout.isTTY ? drawable(lines) : lines)
}

/**
 * Writes an export to a file readable for its owner alone; the file appears once it is complete.
 * @param recipients public keys of age; the file is not encrypted if there are none
 * @throws CliError `export_incomplete`, `invalid_input` if the file cannot be written.
 */
export async function exportToFile(
  source: AsyncIterable<Buffer>,
  file: string,
  { onExported, recipients }: { onExported: OnExported; recipients: readonly string[] },
): Promise<ExportResult> {
  const { lines, result } = checked(source, onExported)
  await writeWholeFile(recipients.length > 0 ? await sealLines(lines, recipients) : lines, file)
  return result
}

async function sealLines(
  lines: AsyncIterable<string>,
  recipients: readonly string[],
): Promise<AsyncIterable<Buffer>> {
  const { seal } = await import('../../lib/keys/sealed-stream.js')
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const line of lines) yield Buffer.from(line)
  }
  return seal(bytes(), recipients)
}

/** Characters that move a terminal's cursor or reverse its reading order, and that JSON does not escape. */
const undrawable = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e0fff}]/gu

async function* drawable(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield escapeUndrawable(line)
}

/** Writes what a terminal would act on as JSON escapes, which mean the same. */
export function escapeUndrawable(line: string): string {
  return line.replace(undrawable, character =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map(unit => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Passes lines on and counts them; fails at the end if the last one is missing. */
function checked(source: AsyncIterable<Buffer>, onExported: OnExported) {
  const result: ExportResult = { memories: 0, events: 0, bytes: 0 }
  async function* lines(): AsyncGenerator<string> {
    let total: number | undefined
    let last = ''
    for await (const { number, text } of readLines(source, maxLineBytes)) {
      if (number === 1) total = (JSON.parse(text) as Extract<Line, { kind: 'header' }>).memories
      if (text.startsWith('{"kind":"memory"')) onExported(++result.memories, total)
      else if (text.startsWith('{"kind":"event"')) result.events++
      result.bytes += Buffer.byteLength(text) + 1
      last = text
      yield `${text}\n`
    }
    if (last.startsWith('{"kind":"end"')) return
    throw new CliError('the export ended before it was complete', {
      code: 'export_incomplete',
      exit: 'failure',
      nextSteps: ['memory daemon logs'],
    })
  }
  return { lines: lines(), result }
}

/** Converts the flags of export to a query. @throws CliError. */
export function exportQuery(flags: Interfaces.InferredFlags<typeof exportFlags>) {
  return {
    deleted: flags.deleted || undefined,
    type: flags.type,
    tags: flags.tags?.join(','),
    who: flags.who,
    project: flags.project,
    scope: flags.scope,
    pinned: flags.pinned,
    importance_min: fractionOf('--importance-min', flags['importance-min']),
    since: momentOf('--since', flags.since),
    until: momentOf('--until', flags.until),
  }
}
