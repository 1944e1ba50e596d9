import type { Reply } from '../../contract/api.js'
import { countOf, formatBytes } from '../../lib/text/count-of.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'
import type { ImportDetails } from './import/transcripts.js'

export type ListedImport = Reply<'GET /api/sources/imports'>['jobs'][number]
export type Rejection = Reply<'GET /api/sources/imports/:jobId/rejections'>['rejections'][number]

/**
 * Formats imports as a table; `tabs` gives tab-separated fields for pipes: id, created, state, imported,
 * duplicate, rejected, pending, name.
 */
export function importTable(
  jobs: readonly ListedImport[],
  { colors, now, tabs }: { colors: Colors; now: number; tabs: boolean },
): string {
  const rows = jobs.map(job => [
    tabs ? job.id : shortId(job.id),
    tabs ? job.createdAt : formatShortAge(job.createdAt, now),
    job.removedAt === null ? job.state : 'removed',
    String(job.imported),
    String(job.duplicate),
    String(job.rejected),
    String(job.pending),
    plainLine(job.name ?? job.adapter),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  const headings = ['IMPORT', 'AGE', 'STATE', 'IMPORTED', 'DUPLICATE', 'REJECTED', 'PENDING', 'NAME']
  return formatTable(headings, rows, colors)
}

/** Formats one import as lines of name and value, with its files below. */
export function importDetailsText(job: ImportDetails, colors: Colors): string {
  const fields = formatFields(
    [
      ['import', job.id],
      ['name', plainLine(job.name ?? '-')],
      ['agent', plainLine(job.agentId)],
      ['format', `${job.adapter}, version ${job.adapterVersion}`],
      ['state', job.error === null ? job.state : `${job.state}: ${plainLine(job.error)}`],
      ['records', countsText(job)],
      ['messages', String(job.messages)],
      ...job.leftOut.map(({ message }): [string, string] => ['left out', message]),
      ['source', job.sourceId ?? '-'],
      ['created', job.createdAt],
      ['completed', job.completedAt ?? '-'],
      ...(job.removedAt === null ? [] : [['removed', job.removedAt] as [string, string]]),
    ],
    colors,
  )
  const files = job.files.map(
    file =>
      `  ${plainLine(file.fileId)}  ${formatBytes(file.upload_offset)} of ${file.upload_size === null ? '-' : formatBytes(file.upload_size)}${file.sealed ? ', complete' : ''}`,
  )
  return [fields, ...(files.length > 0 ? [colors.dim('files'), ...files] : [])].join('\n')
}

function countsText({ total, imported, duplicate, rejected, pending }: ListedImport): string {
  return `${total}: ${imported} imported, ${duplicate} duplicate, ${rejected} rejected, ${pending} pending`
}

/** Summarizes the result of an import, with the first reasons for rejections. */
export function importSummary(job: ListedImport, rejections: readonly Rejection[]): string {
  const head =
    job.state === 'completed'
      ? `Imported ${countOf(job.imported, 'conversation')} with ${countOf(job.messages, 'message')}`
      : `The import is ${job.state}${job.error === null ? '' : `: ${plainLine(job.error)}`}`
  return [
    head,
    ...(job.duplicate > 0 ? [`  ${job.duplicate} skipped: already saved`] : []),
    ...job.leftOut.map(({ message }) => `  left out: ${message}`),
    ...(job.rejected > 0
      ? [`  ${job.rejected} rejected`, ...rejections.map(one => `    ${rejectionText(one)}`)]
      : []),
    ...(job.rejected > rejections.length ? [`    Show all: memory imports rejections ${job.id}`] : []),
    ...(job.state === 'paused' ? [`  Resume it: memory imports resume ${job.id}`] : []),
    ...(job.state === 'failed' ? [`  Retry it: memory imports retry ${job.id}`] : []),
  ].join('\n')
}

export function rejectionText({ fileId, line, message }: Rejection): string {
  return `${plainLine(fileId)}:${line}: ${plainLine(message)}`
}

/** Describes the effect of a command on an import. */
export function changedText({ state, changed }: { state: string; changed: boolean }): string {
  return changed ? `The import is now ${state}` : `Nothing changed: the import is ${state}`
}

/** Describes the effect of a cancellation. */
export function cancelLines(job: ImportDetails): string[] {
  const open = job.files.filter(({ sealed, upload_offset }) => !sealed && upload_offset > 0)
  const bytes = open.reduce((sum, { upload_offset }) => sum + upload_offset, 0)
  return [
    `${plainLine(job.name ?? job.id)} is ${job.state}: ${countsText(job)}`,
    ...(open.length > 0
      ? [`${countOf(open.length, 'incomplete upload')} of ${formatBytes(bytes)} will be deleted`]
      : []),
    `${countOf(job.imported, 'conversation')} will be kept, ${job.pending} will not be imported`,
  ]
}
