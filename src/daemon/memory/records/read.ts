import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { LineageItem, MemoryRecord } from '../../../contract/memory/record.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { isVisibleTo, type ReadBoundary, withOriginFor } from '../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { holdersOf, isVisibleEvent } from './holders.js'
import { noMemory, toHistoryEvent, toRecord } from './record.js'

type Deps = Pick<Daemon, 'store'>

/** Returns one memory with the holders visible to the reader (rules.md 4.4). @throws AppError `not_found` */
export async function getMemory({ store }: Deps, boundary: ReadBoundary, id: string): Promise<MemoryRecord> {
  const { memories, accesses, hints, holders } = store.tables
  const found = await memories.find(id, boundary)
  if (!found) throw noMemory(id)
  if (found.is_deleted === 1)
    throw new AppError(
      'not_found',
      `memory ${id} was forgotten; recover it within 30 days: memory recover ${id}`,
    )
  const [row = found] = await accesses.counted([found])
  const everybody = await holdersOf({ holders }, row)
  return toRecord(
    withOriginFor(row, boundary),
    (await hints.of([id])).get(id) ?? [],
    everybody.filter(holder => isVisibleTo(boundary, holder)),
  )
}

/**
 * Returns the history of a memory, oldest first, forgotten memories included (rules.md 4.4). Events about
 * holders are shown only to readers who may see those holders; `nextOffset` counts hidden events too.
 * @throws AppError `not_found`
 */
export async function memoryHistory(
  { store }: Deps,
  boundary: ReadBoundary,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<Reply<'GET /api/memory/:id/history'>> {
  const row = await store.tables.memories.find(id, boundary)
  if (!row) throw noMemory(id)
  const { events, more } = await store.tables.history.of(row.id, { limit, offset })
  const isTold = isVisibleTo(boundary, row)
  const history = events
    .map(toHistoryEvent)
    .filter(({ metadata }) => isVisibleEvent(boundary, metadata))
    .map(event => (isTold ? event : { ...event, sessionId: null }))
  const nextOffset = offset + events.length
  return { memoryId: row.id, count: history.length, history, ...(more && { nextOffset }) }
}

/**
 * Returns the replacements of a memory, from the newest back to the memory itself (rules.md 4.4). Forgotten
 * links and those outside the boundary are followed but not shown.
 * @returns undefined when the memory does not exist for this reader.
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
