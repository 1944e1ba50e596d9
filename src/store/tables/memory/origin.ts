import type { Selectable } from 'kysely'
import type { MemoriesTable } from '../../schema/schema.js'
import { isVisibleTo, type ReadBoundary, restrictProject } from './memory-filter.js'

/** Columns that reveal the origin of a memory. */
const columns = ['session_id', 'source_id', 'source_path', 'runtime_path', 'idempotency_key'] as const

type HolderColumns = Pick<Selectable<MemoriesTable>, 'agent_id' | 'project' | 'visibility'>

/**
 * Removes the origin unless the reader may know the first holder, whose save it describes (rules.md#holders).
 */
export function withOriginFor<Row extends HolderColumns>(row: Row, boundary: ReadBoundary): Row {
  return isVisibleTo(boundary, row) ? row : withoutOrigin(row)
}

/** Applies both restrictions: the origin, and the project in which the reader sees the row. */
export function restrictForReader<Row extends HolderColumns>(row: Row, boundary: ReadBoundary): Row {
  return restrictProject(withOriginFor(row, boundary), boundary)
}

export function withoutOrigin<Row extends object>(row: Row): Row {
  const nothing = columns.filter(column => column in row).map(column => [column, null])
  return { ...row, ...Object.fromEntries(nothing) }
}
