import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { ArchivableMemory } from '../../../store/tables/agents/agents.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import { assertNotFrozen } from '../../ground/settings/pipeline-mode.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { sourcePurge } from '../../knowledge/sources/core/purges.js'
import { holdersOf, releaseHolders } from '../../memory/records/holders.js'
import { changeEvent } from '../../memory/records/write-change.js'
import { renewSummary } from '../../sessions/synthesis/synthesis-worker.js'
import { agentNotFound } from './agent.js'
import {
  forgetSummaries,
  purgeMemories,
  purgeTraces,
  type Removal,
  type RemovalDeps,
  type StoredRemoval,
} from './purge.js'

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
async function archiveMemories(deps: Deps, removal: Removal): Promise<number> {
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
  await tables.history.append(events)
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

/**
 * Removes an agent from the roster. Its memories are archived and no longer readable. A purge deletes them
 * with everything else of the agent, including memories archived by an earlier removal. The removal is
 * recorded first and done in small repeatable steps. The next start, the end of a freeze or a repeated
 * request finishes an interrupted one (agents.md 4.4 to 4.6).
 * @throws AppError `not_found`, `validation_failed` for the default agent, `mutations_frozen` when the kill
 * switch interrupts it.
 */
export async function removeAgent(
  deps: RemovalDeps,
  { actor, actorType, sessionKey, requestId }: Caller,
  agent: string,
  { purge }: { purge: boolean },
): Promise<{ success: true; purged: boolean; memories: number }> {
  if (agent === defaultAgent)
    throw new AppError(
      'validation_failed',
      `${agent} is the default agent and can't be removed; forget its memories instead (memory forget)`,
    )
  await deps.store.transaction(async tables => {
    const row = await tables.agents.find(agent)
    if (!row && !(purge && (await tables.agentTraces.any(agent)))) throw agentNotFound(agent)
    const isPurge = purge || (row !== undefined && removalIn(row.removal)?.purge === true)
    const removal: StoredRemoval = { purge: isPurge, author: { actor, actorType, sessionKey, requestId } }
    await tables.agents.beginRemoval(agent, JSON.stringify(removal), deps.clock().toISOString())
  })
  const memories = await finishRemoval(deps, agent)
  return { success: true, purged: purge, memories }
}

/**
 * Resumes a removal. @returns the memories removed by this call, without those of an earlier, interrupted
 * run.
 */
export async function finishRemoval(deps: RemovalDeps, agent: string, signal?: AbortSignal): Promise<number> {
  const betweenSteps = async (): Promise<void> => {
    assertNotFrozen(deps)
    signal?.throwIfAborted()
    await nextTurn()
  }
  let memories = 0
  for (;;) {
    const stored = removalIn((await deps.store.tables.agents.find(agent))?.removal)
    // Another request or the worker finished it first.
    if (!stored) return memories
    const removal: Removal = { ...stored, agent, betweenSteps }
    const now = deps.clock().toISOString()
    await deps.store.tables.agentTraces.abandonDocuments(agent, now)
    // Memories read from sources are deleted, not archived: they can be read again. Imported conversations
    // can't, so they stay, as captured ones do.
    if (await deps.store.tables.sources.buryOf(agent, now, { keepImports: !removal.purge }))
      deps.wake(sourcePurge)
    const archived = await archiveMemories(deps, removal)
    await forgetSummaries(deps, removal)
    memories += removal.purge ? await purge(deps, removal) : archived
    if (await endRemoval(deps, removal)) break
  }
  // MEMORY.md lists memories that agents share.
  await renewSummary(deps)
  return memories
}

async function purge(deps: RemovalDeps, removal: Removal): Promise<number> {
  await purgeTraces(deps, removal)
  const memories = await purgeMemories(deps, removal)
  if (deps.store.file && !(await deps.store.file.forgetDeleted()))
    deps.log.warn(
      'purge: readers block the database checkpoint; purged data leaves the write-ahead log later',
    )
  return memories
}

function removalIn(removal: string | null | undefined): StoredRemoval | undefined {
  return removal ? (JSON.parse(removal) as StoredRemoval) : undefined
}

/**
 * Drops the agent together with its last memory, in one transaction.
 * @returns false when the agent saved another memory in the meantime.
 */
function endRemoval({ store }: RemovalDeps, { agent, purge }: Removal): Promise<boolean> {
  return store.transaction(async ({ agents, agentMemories }) => {
    const left = [
      ...(await agentMemories.readable(agent, 1)),
      ...(await agentMemories.heldOfOthers(agent, 1)),
      ...(purge ? await agentMemories.archived(agent, 1) : []),
    ]
    const stored = removalIn((await agents.find(agent))?.removal)
    if (left.length > 0 || (stored?.purge === true && !purge)) return false
    await agents.drop(agent)
    return true
  })
}
