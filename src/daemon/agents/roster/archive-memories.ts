import type { ArchivableMemory } from '../../../store/tables/agents/agent-memories.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import { holdersOf, letGo } from '../../memory/records/holders.js'
import { changeEvent } from '../../memory/records/write-change.js'
import type { Removal, RemovalDeps } from './removal.js'

/** Rows that one transaction takes: requests wait for it. */
const sliceRows = 40
/** Of those that others hold, so many: they are read whole, to be indexed again. */
const sliceShared = 5

type Deps = Pick<RemovalDeps, 'store' | 'index' | 'clock' | 'newId'>

interface Slice {
  archived: readonly string[]
  /** Rows that others go on holding, as they are now. */
  kept: readonly MemoryRow[]
}

/**
 * Archives every memory of an agent with a history event each. What others hold too passes on to the next holder, and
 * what the agent only holds beside others it lets go of: those are not archived.
 * @returns how many were.
 */
export async function archiveMemories(deps: Deps, removal: Removal): Promise<number> {
  let archived = 0
  for (const take of [ownSlice, heldSlice])
    for (;;) {
      const slice = await deps.store.transaction(tables => take(deps, tables, removal))
      if (slice.archived.length + slice.kept.length === 0) break
      for (const id of slice.archived) deps.index.remove(id)
      await deps.index.apply(slice.kept)
      archived += slice.archived.length
      await removal.goOn()
    }
  return archived
}

/** Memories that the agent holds first. */
async function ownSlice(deps: Deps, tables: Tables, removal: Removal): Promise<Slice> {
  const rows = await tables.agentMemories.readable(removal.agent, sliceRows)
  const held = rows.filter(({ further_holders }) => further_holders > 0).map(({ id }) => id)
  const holders = await tables.holders.of(held)
  const isShared = ({ id }: ArchivableMemory): boolean =>
    (holders.get(id) ?? []).some(({ agent_id }) => agent_id !== removal.agent)
  const own = rows.filter(row => !isShared(row))
  await archive(deps, tables, removal, own)
  const shared = rows.filter(isShared).slice(0, sliceShared)
  const kept = await leave(
    deps,
    tables,
    removal,
    shared.map(({ id }) => id),
  )
  return { archived: own.map(({ id }) => id), kept }
}

/** Memories of others that the agent holds too. */
async function heldSlice(deps: Deps, tables: Tables, removal: Removal): Promise<Slice> {
  const ids = await tables.agentMemories.heldOfOthers(removal.agent, sliceShared)
  return { archived: [], kept: await leave(deps, tables, removal, ids) }
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

/** The agent lets go of memories that others hold. @returns them as they are now. */
async function leave(
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
    await letGo(deps, tables, author, { row, leaving, staying }, `agent ${agent} was removed`)
  }
  return tables.memories.load(ids)
}
