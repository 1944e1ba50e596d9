import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { AuthorizedRow } from '../search/candidates.js'

/** A successor of a ranked row. */
export interface SuccessorRow {
  row: RecallableMemory
  /** The row that it replaced, directly or in several steps. */
  from: AuthorizedRow
}

/**
 * Returns the successors of superseded rows, one each: the newest of the chain that the reader may see. Rows
 * already in the ranking are left out (recall.md 1.3.10).
 */
export async function successorsOf(
  { store }: Pick<Daemon, 'store'>,
  rows: readonly AuthorizedRow[],
  { boundary, filter, limit }: { boundary: ReadBoundary; filter: MemoryFilter; limit: number },
): Promise<SuccessorRow[]> {
  const { memories } = store.tables
  const known = new Set(rows.map(({ id }) => id))
  const successors: SuccessorRow[] = []
  for (const from of rows) {
    if (successors.length >= limit) break
    if (from.row.superseded_by === null) continue
    const newestFirst = (await memories.successors(from.id)).slice(1).reverse()
    const visible = await memories.authorize(newestFirst, boundary, filter)
    const newest = newestFirst.find(id => visible.has(id))
    if (newest === undefined || known.has(newest)) continue
    known.add(newest)
    for (const row of await memories.loadRecallable([newest], boundary, filter))
      successors.push({ row, from })
  }
  return successors
}
