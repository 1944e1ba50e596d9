import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Found, Judged } from './find-candidates.js'

/**
 * Rows that were judged by a few of their columns, with everything that is told of them, in the same order. They are
 * authorised once more: what was forgotten meanwhile is left out (recall.md 1.3.6).
 */
export async function wholeRows(
  { store }: Pick<Daemon, 'store'>,
  { boundary, filter }: { boundary: ReadBoundary; filter: MemoryFilter },
  judged: readonly Judged[],
): Promise<Found[]> {
  const ids = judged.map(({ id }) => id)
  const loaded = await store.tables.memories.loadRecallable(ids, boundary, filter)
  const rows = new Map(loaded.map(row => [row.id, row]))
  const found: Found[] = []
  for (const { id, evidence, own, contributions, score } of judged) {
    const row = rows.get(id)
    if (row) found.push({ id, evidence, own, contributions, score, row })
  }
  return found
}
