import type { RemovalStatus } from '../../../contract/memory/change.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { type Author, type Caller, isAutonomous } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { holdersOf, letGo } from '../records/holders.js'
import { noteUnsupported } from '../records/note-unsupported.js'
import { changeEvent, changeMemory } from '../records/write-change.js'
import { type ForgottenIn, findToForget, type Leaving, leavingOf } from './find-to-change.js'

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
  /** Forget only the holders of this project and scope; all of them when absent. */
  within?: ForgottenIn
}

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/**
 * Soft-deletes one memory; it stays recoverable for 30 days (rules.md 4.7). Saved summaries that were made from it go
 * with it, pinned or not: its text would stay readable in them. What others hold stays theirs: only the caller's
 * holders let go of it then, which is told in the same words and counts no version up (rules.md#holders).
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

/** What a removal did, and which rows the index has to hear of once it is committed. */
export interface Removed {
  result: ChangeResult<RemovalStatus>
  forgotten: readonly Forgotten[]
}

/** The same inside a transaction of the caller's, who calls `indexForgotten` after it. */
export async function removeWithin(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason, force, ifVersion, within = {} }: Removal,
): Promise<Removed> {
  const refusedWith = (status: RemovalStatus, row?: MemoryRow): Removed => ({
    result: { id, status, ...(row && { currentVersion: row.version }) },
    forgotten: [],
  })
  const target = await findToForget(tables, caller, boundary, { id, within })
  if ('refused' in target) return refusedWith(target.refused)
  const { row } = target
  const refused = refusal(row, caller, force, ifVersion)
  if (refused) return refusedWith(refused, row)
  const changed = await forgetFor(deps, tables, caller, target, reason)
  if (!changed) return refusedWith('version_conflict', row)
  const forgotten = [changed]
  for (const summary of await summariesToForget(tables, caller, boundary, { target, within })) {
    const gone = await forgetFor(deps, tables, caller, summary, 'a source was forgotten')
    if (gone) forgotten.push(gone)
  }
  const versions = { currentVersion: row.version, newVersion: changed.row.version }
  return { result: { id, status: 'deleted', ...versions }, forgotten }
}

export async function indexForgotten(
  { index }: Pick<Deps, 'index'>,
  forgotten: readonly Forgotten[],
): Promise<void> {
  for (const { row, isGone } of forgotten) {
    if (isGone) index.remove(row.id)
    else await index.apply([row])
  }
}

/** All of them when nobody holds the memory any more; else what the caller holds of them. */
async function summariesToForget(
  tables: Tables,
  caller: Caller,
  boundary: ReadBoundary,
  { target, within }: { target: Leaving; within: ForgottenIn },
): Promise<Leaving[]> {
  const found: Leaving[] = []
  for (const row of await tables.memories.summariesOf(target.row.id)) {
    const held = { row, holders: await holdersOf(tables, row) }
    if (target.staying.length > 0) found.push(leavingOf(caller, boundary, held, within))
    else found.push({ row, leaving: held.holders, staying: [] })
  }
  return found
}

export interface Forgotten {
  /** As it is now. */
  row: MemoryRow
  /** Whether nobody holds it any more. */
  isGone: boolean
}

/** @returns undefined when there was nothing to forget, or the version had moved on. */
async function forgetFor(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  { row, leaving, staying }: Leaving,
  reason: string,
): Promise<Forgotten | undefined> {
  if (leaving.length === 0) return undefined
  if (staying.length > 0) {
    await letGo(deps, tables, caller, { row, leaving, staying }, reason)
    const [kept] = await tables.memories.load([row.id])
    return { row: kept as MemoryRow, isGone: false }
  }
  const deleted = await softDelete(deps, tables, caller, row, reason)
  return deleted && { row: deleted, isGone: true }
}

/** Forgets a memory for everybody, with its history event. @returns undefined when its version had moved on. */
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

/**
 * Forgets memories for everybody, each with its history event: what `softDelete` does, for many in fewer
 * statements. The rows were read in the same transaction.
 */
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
  await tables.transfer.insertEvents(events)
  await noteUnsupported(
    deps,
    tables,
    rows.map(({ id }) => id),
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
