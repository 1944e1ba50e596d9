import type { Selectable } from 'kysely'
import type { MemoriesTable } from '../../schema/schema.js'
import { asSeen, isVisibleTo, type ReadBoundary } from './memory-filter.js'

/** What tells where a memory came from. */
const columns = ['session_id', 'source_id', 'source_path', 'runtime_path', 'idempotency_key'] as const

type Held = Pick<Selectable<MemoriesTable>, 'agent_id' | 'project' | 'visibility'>

/**
 * A row, or some of its columns, for a reader: where it came from is of the save that was first, and told to those who
 * may know who that was (rules.md#holders).
 */
export function withOriginFor<Row extends Held>(row: Row, boundary: ReadBoundary): Row {
  return isVisibleTo(boundary, row) ? row : withoutOrigin(row)
}

/** The same, in the project in which the reader sees it. */
export function asTold<Row extends Held>(row: Row, boundary: ReadBoundary): Row {
  return asSeen(withOriginFor(row, boundary), boundary)
}

export function withoutOrigin<Row extends object>(row: Row): Row {
  const nothing = columns.filter(column => column in row).map(column => [column, null])
  return { ...row, ...Object.fromEntries(nothing) }
}
