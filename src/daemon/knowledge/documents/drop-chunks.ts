import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { softDeleteAll } from '../../memory/edit/remove.js'
import { changeMemory } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Chunks per transaction, during which requests wait. */
const transactionRows = 50

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

export interface ChunksToDrop {
  documentId: string
  /** The generation whose chunks stay; undefined drops all. */
  keep: number | undefined
  reason: string
}

/**
 * Unlinks chunks from a document. Memories without another document are soft-deleted with their history;
 * others stay and refer to one of their other documents.
 * @returns the number of soft-deleted memories
 */
export async function dropChunks(deps: Deps, caller: Caller, drop: ChunksToDrop): Promise<number> {
  let removed = 0
  for (;;) {
    const batch = await deps.store.transaction(tables => dropBatch(deps, tables, caller, drop))
    if (!batch) return removed
    for (const id of batch) deps.index.remove(id)
    removed += batch.length
    await deps.index.settled()
    await nextTurn()
  }
}

/** @returns the deleted memories; undefined if no chunk was left */
async function dropBatch(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  { documentId, keep, reason }: ChunksToDrop,
): Promise<string[] | undefined> {
  const ids = await tables.documentChunks.unlink(documentId, keep, transactionRows)
  if (ids.length === 0) return undefined
  const linked = await tables.documentChunks.stillLinked(ids)
  const gone: MemoryRow[] = []
  for (const row of await tables.memories.load(ids)) {
    if (row.is_deleted === 1 || row.type !== chunkType) continue
    const other = linked.get(row.id)
    if (!other) gone.push(row)
    else if (row.source_id !== other.id) {
      const moved = { source_id: other.id, source_path: other.source_url }
      await changeMemory(deps, tables, caller, row, moved, { event: 'modified', reason })
    }
  }
  await softDeleteAll(deps, tables, caller, gone, reason)
  return gone.map(({ id }) => id)
}
