import type { RemovalStatus } from '../../../contract/memory/change.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Author, type Caller, isAutonomous } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { holdersOf, noteUnsupported, releaseHolders } from '../records/holders.js'
import { changeEvent, changeMemory } from '../records/write-change.js'
import { type ForgetScope, findToForget, type HolderSplit, splitHolders } from './find-to-change.js'

/** The result of a change to one memory; versions are absent when the memory does not exist. */
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
  /** Limits removal to the holders of this project and scope; all holders when absent. */
  within?: ForgetScope
}

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/**
 * Soft-deletes one memory, which stays recoverable for 30 days (rules.md 4.7). Saved summaries made from it
 * are deleted too, pinned or not, since they repeat its text. If others hold the memory, only the caller's
 * holders are removed: the status is the same, but the version does not increase (rules.md#holders).
 */
export async function remove(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  removal: Removal,
): Promise<ChangeResult<RemovalStatus>> {
  const { result, forgotten } = await deps.store.transaction(tables =>
    removeWithin(deps, tables, caller, boundary, removal),
  )
  await indexForgotten(deps, forgotten)
  return result
}

/** The result of a removal, and the rows to update in the index after the commit. */
export interface RemovalOutcome {
  result: ChangeResult<RemovalStatus>
  forgotten: readonly ForgottenMemory[]
}

/** Like `remove`, inside the caller's transaction; the caller runs `indexForgotten` afterwards. */
export async function removeWithin(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason, force, ifVersion, within = {} }: Removal,
): Promise<RemovalOutcome> {
  const refusedWith = (status: RemovalStatus, row?: MemoryRow): RemovalOutcome => ({
    result: { id, status, ...(row && { currentVersion: row.version }) },
    forgotten: [],
  })
  const target = await findToForget(tables, caller, boundary, { id, within })
  if ('refused' in target) return refusedWith(target.refused)
  const { row } = target
  const refused = refusal(row, caller, force, ifVersion)
  if (refused) return refusedWith(refused, row)
  const changed = await forgetForHolders(deps, tables, caller, target, reason)
  if (!changed) return refusedWith('version_conflict', row)
  const forgotten = [changed]
  for (const summary of await summariesToForget(tables, caller, boundary, { target, within })) {
    const gone = await forgetForHolders(deps, tables, caller, summary, 'a source was forgotten')
    if (gone) forgotten.push(gone)
  }
  const versions = { currentVersion: row.version, newVersion: changed.row.version }
  return { result: { id, status: 'deleted', ...versions }, forgotten }
}

export async function indexForgotten(
  { index }: Pick<Deps, 'index'>,
  forgotten: readonly ForgottenMemory[],
): Promise<void> {
  for (const { row, isGone } of forgotten) {
    if (isGone) index.remove(row.id)
    else await index.apply([row])
  }
}

/** All summaries when the memory has no holders left; otherwise those of the caller's holders. */
async function summariesToForget(
  tables: Tables,
  caller: Caller,
  boundary: ReadBoundary,
  { target, within }: { target: HolderSplit; within: ForgetScope },
): Promise<HolderSplit[]> {
  const found: HolderSplit[] = []
  for (const row of await tables.memories.summariesOf(target.row.id)) {
    const held = { row, holders: await holdersOf(tables, row) }
    if (target.staying.length > 0) found.push(splitHolders(caller, boundary, held, within))
    else found.push({ row, leaving: held.holders, staying: [] })
  }
  return found
}

export interface ForgottenMemory {
  /** The row in its new state. */
  row: MemoryRow
  /** True when the memory has no holders left. */
  isGone: boolean
}

/** @returns undefined when there was nothing to forget or the version had changed. */
async function forgetForHolders(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  { row, leaving, staying }: HolderSplit,
  reason: string,
): Promise<ForgottenMemory | undefined> {
  if (leaving.length === 0) return undefined
  if (staying.length > 0) {
    await releaseHolders(deps, tables, caller, { row, leaving, staying }, reason)
    const [kept] = await tables.memories.load([row.id])
    return { row: kept as MemoryRow, isGone: false }
  }
  const deleted = await softDelete(deps, tables, caller, row, reason)
  return deleted && { row: deleted, isGone: true }
}

/**
 * Deletes a memory for all holders, with its history event. @returns undefined when its version had changed.
 */
async function softDelete(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  author: Author,
  row: MemoryRow,
  reason: string,
): Promise<MemoryRow | undefined> {
  const deleted = await changeMemory(
    deps,
    tables,
    author,
    row,
    { is_deleted: 1, deleted_at: deps.clock().toISOString() },
    { event: 'deleted', reason, oldContent: row.content },
  )
  if (deleted) await noteUnsupported(deps, tables, [row.id])
  return deleted
}

/** Like `softDelete` for many memories in fewer statements; the rows must come from the same transaction. */
export async function softDeleteAll(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  author: Author,
  rows: readonly MemoryRow[],
  reason: string,
): Promise<void> {
  if (rows.length === 0) return
  const now = deps.clock().toISOString()
  const first = await tables.meta.nextChanges(rows.length)
  const changed = rows.map(({ id, content }, position) => ({ id, content, change: first + position }))
  for (const { id, change } of changed)
    await tables.memories.softDelete(id, { now, by: author.actor, change })
  const events = changed.map(({ content, ...memory }) =>
    changeEvent(deps, author, memory, { event: 'deleted', reason, oldContent: content }),
  )
  await tables.history.append(events)
  await noteUnsupported(
    deps,
    tables,
    rows.map(({ id }) => id),
  )
}

/**
 * Deletes memories permanently, with their dependent rows. The history keeps each event without content, plus
 * a final one.
 */
export async function purgeAll(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  author: Author,
  ids: readonly string[],
  reason: string,
): Promise<void> {
  if (ids.length === 0) return
  await tables.agentMemories.blankHistory(ids, reason)
  const first = await tables.meta.nextChanges(ids.length)
  const events = ids.map((id, position) =>
    changeEvent(deps, author, { id, change: first + position }, { event: 'deleted', reason }),
  )
  await tables.history.append(events)
  await tables.sync.notePurged(ids)
  await tables.jobs.dropOf(ids)
  await tables.retention.deleteVectors(ids)
  await tables.retention.deleteMemories(ids)
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
