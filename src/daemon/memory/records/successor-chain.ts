import type { LineageItem } from '../../../contract/memory/record.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/**
 * The replacements of a memory, from the newest back to the memory itself (rules.md 4.4). Forgotten links and those
 * outside the boundary are followed, but not shown.
 * @returns undefined when there is no such memory for this reader.
 */
export async function successorChain(
  { store }: Pick<Daemon, 'store'>,
  boundary: ReadBoundary,
  id: string,
  limit: number,
): Promise<LineageItem[] | undefined> {
  const { memories } = store.tables
  const ids = (await memories.successors(id)).reverse()
  const visible = new Set(await memories.listIds(boundary, { ids }, { limit: ids.length, offset: 0 }))
  if (!visible.has(id)) return undefined
  const shown = ids.filter(one => visible.has(one)).slice(0, limit)
  const rows = new Map((await memories.load(shown)).map(row => [row.id, row]))
  return shown.map(one => toItem(rows.get(one) as MemoryRow))
}

function toItem(row: MemoryRow): LineageItem {
  return {
    id: row.id,
    content: row.content,
    type: row.type,
    importance: row.importance,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    supersededBy: row.superseded_by,
    supersededAt: row.superseded_at,
    supersededReason: row.superseded_reason,
  }
}
