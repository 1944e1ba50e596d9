import { AppError } from '../../../../contract/ground/errors.js'
import type { TableSample } from '../../../../contract/operations/diagnostics.js'
import { quoted } from '../../../../lib/text/clip.js'
import { withoutSecrets } from '../../../../lib/text/without-secrets.js'
import type { CatalogueColumn, SampledValue } from '../../../../store/sql/catalogue.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { maySample } from './table-groups.js'

/** Characters of a text that are read, and those that are shown: what looks like a secret is looked for in more. */
const maxRead = 4000
const maxShown = 500

/** Columns whose values are secrets, whatever they look like. */
const secretColumn = /(?:secret|password|passphrase|credential|token|private_key)$/iu
const secretColumns = new Set(['api_keys.hash'])

/**
 * Some rows of a table.
 * @throws AppError `not_found` for a name that the database does not know, `validation_failed` for an index, a virtual
 * table or one of the database's own.
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
    throw new AppError(
      'not_found',
      `there is no table ${quoted(name)}; GET /api/diagnostics/database/schema lists them`,
    )
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

/** A value as people may see it: no vector, no secret, no more of a text than tells what it is. */
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
