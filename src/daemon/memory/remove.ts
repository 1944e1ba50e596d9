import type { MemoryRow } from '../../store/tables/memories.js'
import type { ReadBoundary } from '../../store/tables/memory-filter.js'
import type { Tables } from '../../store/tables/tables.js'
import { type Caller, isAutonomous } from '../caller.js'
import type { Daemon } from '../daemon.js'
import { changeMemory } from './change.js'
import { findToChange } from './find-to-change.js'

export type RemovalStatus =
  | 'deleted'
  | 'not_found'
  | 'scope_violation'
  | 'already_deleted'
  | 'version_conflict'
  | 'pinned_requires_force'
  | 'autonomous_force_denied'

/** What a change did to one memory; versions are absent when the memory is not there. */
export interface ChangeResult<Status extends string> {
  id: string
  status: Status
  currentVersion?: number
  newVersion?: number
}

export interface Removal {
  id: string
  reason: string
  force: boolean
  ifVersion?: number | undefined
}

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/**
 * Soft-deletes one memory; it stays recoverable for 30 days (spec 1, 4.7). Saved summaries that were made from it go
 * with it, pinned or not: its text would stay readable in them.
 */
export async function remove(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason, force, ifVersion }: Removal,
): Promise<ChangeResult<RemovalStatus>> {
  const gone: string[] = []
  const result = await deps.store.transaction(async (tables): Promise<ChangeResult<RemovalStatus>> => {
    const target = await findToChange(tables, caller, boundary, id)
    if ('refused' in target) return { id, status: target.refused }
    const { row } = target
    const refused = refusal(row, caller, force, ifVersion)
    if (refused) return { id, status: refused, currentVersion: row.version }
    const changed = await softDelete(deps, tables, caller, row, reason)
    if (!changed) return { id, status: 'version_conflict', currentVersion: row.version }
    gone.push(id)
    for (const summary of await tables.memories.summariesOf(id)) {
      await softDelete(deps, tables, caller, summary, 'a source was forgotten')
      gone.push(summary.id)
    }
    return { id, status: 'deleted', currentVersion: row.version, newVersion: changed.version }
  })
  for (const one of gone) deps.index.remove(one)
  return result
}

function softDelete(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  row: MemoryRow,
  reason: string,
): Promise<MemoryRow | undefined> {
  return changeMemory(
    deps,
    tables,
    caller,
    row,
    { is_deleted: 1, deleted_at: deps.clock().toISOString() },
    { event: 'deleted', reason, oldContent: row.content },
  )
}

function refusal(
  row: MemoryRow,
  caller: Caller,
  force: boolean,
  ifVersion: number | undefined,
): RemovalStatus | undefined {
  if (row.is_deleted === 1) return 'already_deleted'
  if (ifVersion !== undefined && ifVersion !== row.version) return 'version_conflict'
  if (row.pinned === 0) return undefined
  if (!force) return 'pinned_requires_force'
  return isAutonomous(caller) ? 'autonomous_force_denied' : undefined
}
