import { AppError, notFound } from '../../../../contract/ground/errors.js'
import type { TableSample } from '../../../../contract/operations/diagnostics.js'
import { quoted } from '../../../../lib/text/clip.js'
import { withoutSecrets } from '../../../../lib/text/without-secrets.js'
import type { CatalogueColumn, SampledValue } from '../../../../store/sql/catalogue.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { maySample } from './table-groups.js'

/**
 * Characters of a text that are read and shown. More is read, so that a secret on the cut is still
 * recognised.
 */
const maxRead = 4000
const maxShown = 500

/** Columns that always contain secrets. */
const secretColumn = /(?:secret|password|passphrase|credential|token|private_key)$/iu
const secretColumns = new Set(['api_keys.hash', 'oauth_records.hash', 'oauth_records.payload'])

/**
 * Reads some rows of a table.
 * @throws AppError `not_found` for an unknown name, `validation_failed` for an index, a virtual table or a
 * table of SQLite.
 */
export async function sampleTable(
  { catalogue }: Tables,
  name: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<TableSample> {
  const table = (await catalogue.tables()).find(one => one.name === name)
  if (!table && (await catalogue.isIndex(name)))
    throw new AppError('validation_failed', `${quoted(name)} is an index: it has no rows of its own`)
  if (!table)
    throw notFound(`table ${quoted(name)} not found`, 'GET /api/diagnostics/database/schema lists them')
  if (!maySample(table))
    throw new AppError(
      'validation_failed',
      `${quoted(name)} belongs to the database itself or is virtual: its rows are not shown`,
    )
  const columns = await catalogue.columns(name)
  const rowCount = await catalogue.count(name)
  const rows =
    offset < rowCount ? await catalogue.sample(table, columns, { limit, offset, maxLength: maxRead }) : []
  return {
    table: name,
    columns,
    rows: rows.map(row =>
      Object.fromEntries(
        row.map((value, at) => [columns[at]!.name, shown(name, columns[at] as CatalogueColumn, value)]),
      ),
    ),
    limit,
    offset,
    rowCount,
    hasMore: offset + rows.length < rowCount,
  }
}

/** A value fit to be shown: without vectors and secrets, and shortened. */
function shown(
  table: string,
  column: CatalogueColumn,
  { kind, value, bytes }: SampledValue,
): string | number | null {
  if (kind === 'null') return null
  if (secretColumn.test(column.name) || secretColumns.has(`${table}.${column.name}`)) return '[secret]'
  if (kind === 'blob') return `[${bytes} bytes]`
  if (kind !== 'text') return value
  const text = withoutSecrets(value as string)
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}… [${bytes} bytes]` : text
}
