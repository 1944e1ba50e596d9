import type { RecoveryStatus } from '../../../contract/memory/change.js'
import { dayMs } from '../../../lib/time/time.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { answerIfDuplicate, changeMemory } from '../records/write-change.js'
import { findToChange } from './find-to-change.js'
import type { ChangeResult } from './remove.js'

/** Days in which a forgotten memory can be recovered (rules.md 8). */
export const retentionDays = 30

export interface Recovery {
  id: string
  reason: string
  ifVersion?: number | undefined
}

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/** Restores a soft-deleted memory (rules.md 4.5), unless another row has the same content. */
export async function recover(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason, ifVersion }: Recovery,
): Promise<ChangeResult<RecoveryStatus>> {
  let restored: MemoryRow | undefined
  const result = await deps.store
    .transaction(async (tables): Promise<ChangeResult<RecoveryStatus>> => {
      const target = await findToChange(tables, caller, boundary, id)
      if ('refused' in target) return { id, status: target.refused }
      const { row } = target
      const refused = refusal(row, deps.clock(), ifVersion)
      if (refused) return { id, status: refused, currentVersion: row.version }
      const twin = await tables.memories.byHash(row.content_hash, boundary)
      if (twin) return { id, status: 'duplicate_content_hash', currentVersion: row.version }
      restored = await changeMemory(
        deps,
        tables,
        caller,
        row,
        { is_deleted: 0, deleted_at: null },
        { event: 'recovered', reason, newContent: row.content },
      )
      if (!restored) return { id, status: 'version_conflict', currentVersion: row.version }
      return { id, status: 'recovered', currentVersion: row.version, newVersion: restored.version }
    })
    .catch(answerIfDuplicate<ChangeResult<RecoveryStatus>>({ id, status: 'duplicate_content_hash' }))
  if (restored) await deps.index.apply([restored])
  return result
}

function refusal(row: MemoryRow, now: Date, ifVersion: number | undefined): RecoveryStatus | undefined {
  if (row.is_deleted === 0) return 'not_deleted'
  if (ifVersion !== undefined && ifVersion !== row.version) return 'version_conflict'
  const age = now.getTime() - Date.parse(row.deleted_at ?? '')
  return age > retentionDays * dayMs ? 'retention_expired' : undefined
}
