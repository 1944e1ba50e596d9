import type { ArchivableMemory } from '../../../store/tables/agents/agent-memories.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import { holdersOf, releaseHolders } from '../../memory/records/holders.js'
import { changeEvent } from '../../memory/records/write-change.js'
import type { Removal, RemovalDeps } from './removal.js'

/** Rows archived in one transaction; requests wait while it runs. */
const sliceRows = 40
/** Shared rows per transaction: fewer, since they are read completely for re-indexing. */
const sliceShared = 5

type Deps = Pick<RemovalDeps, 'store' | 'index' | 'clock' | 'newId'>

interface Slice {
  archived: readonly string[]
  /** Rows that other agents continue to hold, in their current state. */
  kept: readonly MemoryRow[]
}

/**
 * Archives every memory of an agent, each with a history event. A memory that other agents hold too passes to
 * the next holder; the agent is also removed from memories it holds second. Neither kind is archived.
 * @returns the number of archived memories.
 */
export async function archiveMemories(deps: Deps, removal: Removal): Promise<number> {
  let archived = 0
  for (const take of [archiveOwnSlice, leaveSharedSlice])
    for (;;) {
      const slice = await deps.store.transaction(tables => take(deps, tables, removal))
      if (slice.archived.length + slice.kept.length === 0) break
      for (const id of slice.archived) deps.index.remove(id)
      await deps.index.apply(slice.kept)
      archived += slice.archived.length
      await removal.betweenSteps()
    }
  return archived
}

/** One slice of the memories whose first holder is the agent. */
async function archiveOwnSlice(deps: Deps, tables: Tables, removal: Removal): Promise<Slice> {
  const rows = await tables.agentMemories.readable(removal.agent, sliceRows)
  const held = rows.filter(({ further_holders }) => further_holders > 0).map(({ id }) => id)
  const holders = await tables.holders.of(held)
  const isShared = ({ id }: ArchivableMemory): boolean =>
    (holders.get(id) ?? []).some(({ agent_id }) => agent_id !== removal.agent)
  const own = rows.filter(row => !isShared(row))
  await archive(deps, tables, removal, own)
  const shared = rows.filter(isShared).slice(0, sliceShared)
  const kept = await leaveMemories(
    deps,
    tables,
    removal,
    shared.map(({ id }) => id),
  )
  return { archived: own.map(({ id }) => id), kept }
}

/** One slice of other agents' memories that the agent holds too. */
async function leaveSharedSlice(deps: Deps, tables: Tables, removal: Removal): Promise<Slice> {
  const ids = await tables.agentMemories.heldOfOthers(removal.agent, sliceShared)
  return { archived: [], kept: await leaveMemories(deps, tables, removal, ids) }
}

async function archive(
  deps: Deps,
  tables: Tables,
  removal: Removal,
  rows: readonly ArchivableMemory[],
): Promise<void> {
  if (rows.length === 0) return
  const now = deps.clock().toISOString()
  const first = await tables.meta.nextChanges(rows.length)
  const ids = rows.map(({ id }) => id)
  for (const [position, id] of ids.entries())
    await tables.agentMemories.archive(id, { now, by: removal.author.actor, change: first + position })
  await tables.agentMemories.archiveHolders(ids)
  await tables.retention.deleteVectors(ids)
  await tables.jobs.dropOf(ids)
  const events = rows.map(({ id, visibility }, position) =>
    changeEvent(
      deps,
      removal.author,
      { id, change: first + position },
      {
        event: 'modified',
        reason: `agent ${removal.agent} was removed`,
        metadata: { before: { visibility }, after: { visibility: 'archived' } },
      },
    ),
  )
  await tables.transfer.insertEvents(events)
}

/** Removes the agent from the holders of memories. @returns the memories in their new state. */
async function leaveMemories(
  deps: Deps,
  tables: Tables,
  { agent, author }: Removal,
  ids: readonly string[],
): Promise<MemoryRow[]> {
  const isLeaving = ({ agent_id }: Holder): boolean => agent_id === agent
  for (const row of await tables.memories.load(ids)) {
    const holders = await holdersOf(tables, row)
    const leaving = holders.filter(isLeaving)
    const staying = holders.filter(holder => !isLeaving(holder))
    await releaseHolders(deps, tables, author, { row, leaving, staying }, `agent ${agent} was removed`)
  }
  return tables.memories.load(ids)
}
