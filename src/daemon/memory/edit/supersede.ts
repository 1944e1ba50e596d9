import type { SupersedeStatus } from '../../../contract/memory/change.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { toEntry } from '../../ground/index/memory-entries.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { holdersOf, noteSuperseded } from '../records/holders.js'
import { changeMemory } from '../records/write-change.js'
import { findToChange } from './find-to-change.js'
import type { ChangeResult } from './remove.js'

export interface Supersession {
  id: string
  supersededBy: string
  reason: string
}

export interface SupersedeResult extends ChangeResult<SupersedeStatus> {
  supersededBy?: string
  supersededAt?: string | null
}

/** A changed row with its hints and the holders after its first, as the index needs them. */
export interface SupersededMemory {
  row: MemoryRow
  hints: readonly string[]
  holders: readonly Holder[]
}

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/**
 * Marks one memory as replaced by another (rules.md#supersede-and-tombstone). Both must be alive and visible
 * to the caller. The successor must be in every scope that holds the replaced memory, and a chain of
 * replacements must not form a cycle.
 */
export async function supersede(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  supersession: Supersession,
): Promise<SupersedeResult> {
  const { result, superseded } = await deps.store.transaction(tables =>
    supersedeWithin(deps, tables, caller, boundary, supersession),
  )
  if (superseded) indexSuperseded(deps, superseded)
  return result
}

/** Like `supersede`, inside the caller's transaction; the caller runs `indexSuperseded` afterwards. */
export async function supersedeWithin(
  deps: Pick<Deps, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  boundary: ReadBoundary,
  { id, supersededBy, reason }: Supersession,
): Promise<{ result: SupersedeResult; superseded?: SupersededMemory }> {
  const target = await findToChange(tables, caller, boundary, id)
  if ('refused' in target) return { result: { id, status: target.refused } }
  const { row, holders } = target
  const successor = await tables.memories.find(supersededBy, boundary)
  if (row.is_deleted === 1 || successor?.is_deleted !== 0) return { result: { id, status: 'not_found' } }
  const scopes = (await holdersOf(tables, successor)).map(({ scope }) => scope)
  if (!holders.every(({ scope }) => scopes.includes(scope)) || !mayReplace(successor, holders))
    return { result: { id, status: 'not_found' } }
  const refused = await refusal(tables, row, successor)
  if (refused) return { result: { ...refused, id, currentVersion: row.version } }
  const marked = await markSuperseded(deps, tables, caller, row, { by: successor.id, reason })
  const result: SupersedeResult = {
    id,
    status: 'superseded',
    supersededBy: successor.id,
    supersededAt: marked.row.superseded_at,
    currentVersion: row.version,
    newVersion: marked.row.version,
  }
  return { result, superseded: marked }
}

export function indexSuperseded(
  { index }: Pick<Daemon, 'index'>,
  { row, hints, holders }: SupersededMemory,
): void {
  index.upsert(toEntry(row, hints, holders))
}

/**
 * A private row can't replace a global one: readers of the replaced row would see the private row's id
 * (recall.md 1.3.1).
 */
export function mayReplace(successor: Owned, holders: readonly Owned[]): boolean {
  if (successor.visibility === 'global') return true
  return holders.every(
    ({ agent_id, visibility }) => visibility === 'private' && agent_id === successor.agent_id,
  )
}

type Owned = Pick<MemoryRow, 'agent_id' | 'visibility'>

/** Stores the successor and the reason; call it in the transaction that read the row (rules.md 3.1). */
export async function markSuperseded(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  row: MemoryRow,
  { by, reason, hasSameText }: { by: string; reason: string; hasSameText?: boolean },
): Promise<SupersededMemory> {
  const marked = await changeMemory(
    deps,
    tables,
    caller,
    row,
    {
      superseded_by: by,
      superseded_at: deps.clock().toISOString(),
      superseded_reason: reason,
      ...(hasSameText && { hash_space: spaceApart(row) }),
    },
    { event: 'modified', reason, metadata: { supersededBy: by } },
  )
  await noteSuperseded(deps, tables, row.id)
  const hints = await tables.hints.of([row.id])
  const [_first, ...holders] = await holdersOf(tables, row)
  return { row: marked as MemoryRow, hints: hints.get(row.id) ?? [], holders }
}

/** Lets another memory have the text of a superseded one. */
export async function leaveText(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  row: MemoryRow,
): Promise<void> {
  const reason = 'its text is current again'
  await changeMemory(
    deps,
    tables,
    caller,
    row,
    { hash_space: spaceApart(row) },
    { event: 'modified', reason },
  )
}

/**
 * Returns a space that a memory has for itself, because only one live memory has a text in a space. No agent
 * has a name that begins with a space.
 */
export function spaceApart({ id }: Pick<MemoryRow, 'id'>): string {
  return ` ${id}`
}

async function refusal(
  tables: Tables,
  row: MemoryRow,
  successor: MemoryRow,
): Promise<Omit<SupersedeResult, 'id'> | undefined> {
  if (row.superseded_by !== null)
    return {
      status: 'already_superseded',
      supersededBy: row.superseded_by,
      supersededAt: row.superseded_at,
    }
  const chain = await tables.memories.successors(successor.id)
  return chain.includes(row.id) ? { status: 'supersede_cycle' } : undefined
}
