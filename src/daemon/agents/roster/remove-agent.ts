import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { assertNotFrozen } from '../../ground/settings/frozen.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { sourcePurge } from '../../knowledge/sources/core/purges.js'
import { renewSummary } from '../../sessions/synthesis/synthesis-worker.js'
import { agentNotFound } from './agent.js'
import { archiveMemories } from './archive-memories.js'
import { forgetSummaries, purgeMemories, purgeTraces } from './purge.js'
import type { Removal, RemovalDeps, StoredRemoval } from './removal.js'

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
  if (!(await deps.store.file.forgetDeleted()))
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
