import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { clipText, displayWidth, plainLine } from '../terminal/text.js'
import type { DocumentView } from './documents/document-text.js'

export type ListedConnector = Reply<'GET /api/connectors'>['connectors'][number]
export type ShownConnector = Reply<'GET /api/connectors/:id'>
type SyncResult = NonNullable<NonNullable<ShownConnector['details']>['lastResult']>

/** Returns the folder of a connector, or its provider. */
export function placeOf({ config_json, provider }: ListedConnector): string {
  const { rootPath } = JSON.parse(config_json) as { rootPath?: unknown }
  return typeof rootPath === 'string' ? plainLine(rootPath) : provider
}

/**
 * Formats connectors as a table; `tabs` gives tab-separated fields for pipes: id, status, last_sync_at, name,
 * place, error.
 */
export function connectorTable(
  connectors: readonly ListedConnector[],
  { colors, now, tabs }: DocumentView & { tabs: boolean },
): string {
  const rows = connectors.map(connector => {
    const { id, status, last_sync_at: at, display_name, last_error } = connector
    const synced = tabs ? (at ?? '') : at === null ? 'never' : formatShortAge(at, now)
    const error = plainLine(last_error ?? (tabs ? '' : '-'))
    return [tabs ? id : shortId(id), status, synced, plainLine(display_name), placeOf(connector), error]
  })
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['ID', 'STATUS', 'SYNCED', 'NAME', 'FOLDER', 'ERROR'], rows, colors)
}

/** Formats folders in two lines each, like other sources. */
export function folderTable(
  connectors: readonly ListedConnector[],
  { colors, now, columns }: DocumentView & { columns: number },
): string {
  return connectors
    .map(connector => {
      const { id, status, last_sync_at: at, display_name: name } = connector
      const facts = `folder · ${status} · ${at === null ? 'never synced' : `synced ${formatAge(at, now)}`}`
      const head = clipText(plainLine(name), Math.max(10, columns - displayWidth(facts) - 2))
      const place = clipText(`${shortId(id)}  ${placeOf(connector)}`, columns - 2)
      return `${colors.bold(head)}  ${facts}\n  ${colors.dim(place)}`
    })
    .join('\n')
}

/** Formats folders for pipes, with the fields of other sources. */
export function folderLines(connectors: readonly ListedConnector[]): string {
  return connectors
    .map(connector => {
      const { id, status, last_sync_at: at, display_name: name } = connector
      return [
        id,
        'folder',
        status,
        status === 'error' ? 'unhealthy' : 'healthy',
        '',
        at ?? '',
        plainLine(name),
        placeOf(connector),
        '',
      ].join('\t')
    })
    .join('\n')
}

/** Formats one connector as lines of name and value, with the failures of its last sync. */
export function connectorText(connector: ShownConnector, { colors, now }: DocumentView): string {
  const { id, provider, status, display_name, last_sync_at: at, last_error, details } = connector
  const fields = formatFields(
    [
      ['id', id],
      ['name', plainLine(display_name)],
      ['provider', provider],
      ['settings', plainLine(connector.config_json)],
      ['status', status],
      ...(last_error === null ? [] : [['error', plainLine(last_error)] as const]),
      ['last sync', at === null ? 'never' : `${at} (${formatAge(at, now)})`],
      ...(details ? [['documents', documentsLine(details)] as const] : []),
    ],
    colors,
  )
  const result = details?.lastResult
  return result && result.errorCount > 0 ? `${fields}\n\n${faultsText(result, colors)}` : fields
}

/** Counts the documents of a connector by state. */
export function documentsLine({ documents, chunks }: NonNullable<ShownConnector['details']>): string {
  const { total, done, failed, reading } = documents
  const parts = [`${done} read`, ...(reading > 0 ? [`${reading} in progress`] : [])]
  if (failed > 0) parts.push(`${failed} failed`)
  return `${countOf(total, 'document')} (${parts.join(', ')}), ${countOf(chunks, 'passage')}`
}

/** Formats the result of a sync: one line, and a table of the failures. */
export function resultText(result: SyncResult, colors: Colors): string {
  const { documentsAdded, documentsUpdated, documentsRemoved, listed, errorCount } = result
  const line =
    `${colors.green('Synced')}  ${countOf(listed, 'file')}: ${documentsAdded} added, ` +
    `${documentsUpdated} updated, ${documentsRemoved} removed`
  return errorCount > 0 ? `${line}\n\n${faultsText(result, colors)}` : line
}

function faultsText({ errors, errorCount }: SyncResult, colors: Colors): string {
  const rows = errors.map(({ resourceId, message }) => [plainLine(resourceId), plainLine(message)])
  const more = errorCount > errors.length ? `, showing the first ${errors.length}` : ''
  return [colors.red(`${errorCount} failed${more}`), formatTable(['FILE', 'REASON'], rows, colors)].join('\n')
}

/** Describes the effect of a removal. */
export function removalLines(connector: ShownConnector, cascade: boolean): string[] {
  const { display_name, details } = connector
  const documents = details?.documents.total ?? 0
  return [
    `connector  ${plainLine(display_name)}`,
    `folder     ${placeOf(connector)} (its files are not changed)`,
    cascade
      ? `documents  ${documents} deleted, with up to ${countOf(details?.chunks ?? 0, 'passage')}`
      : `documents  ${documents} kept, but no longer updated`,
  ]
}
