import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { shortId } from '../../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../../lib/time/age.js'
import { type Colors, formatFields, formatTable, linked, shownId } from '../../terminal/output.js'
import { formatMs, plainLine } from '../../terminal/text.js'
import type { AddedDocument } from './add-document.js'

export type ListedDocument = Reply<'GET /api/documents'>['documents'][number]
type Chunk = Reply<'GET /api/documents/:id/chunks'>['chunks'][number]

export interface DocumentView {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
}

/**
 * Formats documents as a table; `tabs` gives tab-separated fields for pipes: id, created_at, status, chunks,
 * name, error.
 */
export function documentTable(
  documents: readonly ListedDocument[],
  { colors, now, tabs }: DocumentView & { tabs: boolean },
): string {
  const rows = documents.map(document => [
    tabs ? document.id : shortId(document.id),
    tabs ? document.created_at : formatShortAge(document.created_at, now),
    document.status,
    String(document.chunk_count),
    tabs
      ? plainLine(nameOfDocument(document))
      : linked(plainLine(nameOfDocument(document)), document.source_url),
    plainLine(document.error ?? (tabs ? '' : '-')),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'AGE', 'STATUS', 'PASSAGES', 'DOCUMENT', 'ERROR'], rows, colors)
}

/** Returns the title of a document, or else its URL or type. */
export function nameOfDocument({ title, source_url, source_type }: ListedDocument): string {
  return title ?? source_url ?? source_type
}

/** Formats one document as lines of name and value. */
export function documentText(document: ListedDocument, { colors, now }: DocumentView): string {
  const at = (iso: string | null) => (iso === null ? '-' : `${iso} (${formatAge(iso, now)})`)
  const steps = Object.entries(document.timings).map(([step, ms]) => `${step} ${formatMs(ms)}`)
  return formatFields(
    [
      ['id', document.id],
      ['title', plainLine(document.title ?? '-')],
      ['source', plainLine(document.source_url ?? document.source_type)],
      ['content type', plainLine(document.content_type ?? '-')],
      ...(document.guessed_charset === null
        ? []
        : [['charset', `${document.guessed_charset} (guessed)`] as const]),
      ['status', document.status],
      ...(document.error === null ? [] : [['error', plainLine(document.error)] as const]),
      ['passages', String(document.chunk_count)],
      ['agent', plainLine(document.agent_id)],
      ['project', plainLine(document.project ?? '-')],
      ['timings', steps.join(', ') || '-'],
      ['created', at(document.created_at)],
      ['completed', at(document.completed_at)],
    ],
    colors,
  )
}

/** Formats chunks, each below its number, heading and page. */
export function chunksText(chunks: readonly Chunk[], colors: Colors): string {
  return chunks
    .map(({ chunk_index, heading, page, id, content }) => {
      const place = [heading, page].filter(Boolean).join(', ')
      const line = `${chunk_index}${place ? `  ${plainLine(place)}` : ''}  (id ${shownId(id)})`
      return `${colors.dim(line)}\n${content.split('\n').map(plainLine).join('\n')}`
    })
    .join('\n\n')
}

/** Formats the outcome of adding: one line for successes, a table of the failures. */
export function addedText(added: readonly AddedDocument[], colors: Colors): string {
  const done = added.filter(({ status }) => status === 'done')
  const failed = added.filter(({ status }) => status === 'failed')
  const known = done.filter(one => one.known).length
  const chunks = done.reduce((sum, one) => sum + one.chunks, 0)
  const empty = done.filter(one => one.chunks === 0).length
  const lines = [
    `${colors.green('Added')}  ${countOf(done.length, 'document')}, ${countOf(chunks, 'passage')}` +
      (known > 0 ? `; ${known} already added` : '') +
      (empty > 0 ? `; ${empty} without text` : ''),
    ...done.flatMap(({ name, guessedCharset }) =>
      guessedCharset ? [`Read as ${guessedCharset}, which is guessed: ${plainLine(name)}`] : [],
    ),
    ...(added.length === 1 && done[0]?.id ? [colors.dim(`id ${shownId(done[0].id)}`)] : []),
  ]
  if (failed.length === 0) return lines.join('\n')
  const rows = failed.map(({ name, reason = '' }) => [plainLine(name), plainLine(reason)])
  return [
    ...lines,
    '',
    colors.red(`${failed.length} failed`),
    formatTable(['DOCUMENT', 'REASON'], rows, colors),
  ].join('\n')
}
