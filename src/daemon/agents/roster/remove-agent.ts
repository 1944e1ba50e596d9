import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { assertNotFrozen } from '../../ground/settings/frozen.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { sourcePurge } from '../../knowledge/sources/core/purges.js'
import { renewSummary } from '../../sessions/synthesis/synthesis-worker.js'
import { noAgent } from './agent.js'
import { archiveMemories } from './archive-memories.js'
import { forgetSummaries, purgeMemories, purgeTraces } from './purge.js'
import type { Removal, RemovalDeps, StoredRemoval } from './removal.js'

/**
 * Takes an agent out of the roster. Its memories are archived, so that nobody reads them; a purge deletes them for good
 * with all that is the agent's, and takes what an earlier removal archived as well. The removal is noted first and done
 * in small steps, each of which may be repeated: what breaks off is finished by the next start, by the end of a freeze,
 * or by asking again (agents.md 4.4 to 4.6).
 * @throws AppError `not_found`, `validation_failed` for the agent of those who name none, `mutations_frozen` when the
 *   kill switch comes between.
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
      `${agent} is the agent of those who name none and stays; forget its memories instead (memory forget)`,
    )
  await deps.store.transaction(async tables => {
    const row = await tables.agents.find(agent)
    if (!row && !(purge && (await tables.agentTraces.any(agent)))) throw noAgent(agent)
    const isPurge = purge || (row !== undefined && removalIn(row.removal)?.purge === true)
    const removal: StoredRemoval = { purge: isPurge, author: { actor, actorType, sessionKey, requestId } }
    await tables.agents.beginRemoval(agent, JSON.stringify(removal), deps.clock().toISOString())
  })
  const memories = await finishRemoval(deps, agent)
  return { success: true, purged: purge, memories }
}

/** Goes on with a removal from where it broke off. @returns the memories that went; those that a run before this one took do not count. */
export async function finishRemoval(deps: RemovalDeps, agent: string, signal?: AbortSignal): Promise<number> {
  const goOn = async (): Promise<void> => {
    assertNotFrozen(deps)
    signal?.throwIfAborted()
    await nextTurn()
  }
  let memories = 0
  for (;;) {
    const stored = removalIn((await deps.store.tables.agents.find(agent))?.removal)
    // Another request, or the worker, was faster.
    if (!stored) return memories
    const removal: Removal = { ...stored, agent, goOn }
    const now = deps.clock().toISOString()
    await deps.store.tables.agentTraces.abandonDocuments(agent, now)
    // What was read of them can be read again: nothing of it is archived. Imported conversations can't, and stay as the
    // captured ones do.
    if (await deps.store.tables.sources.buryOf(agent, now, { keepImports: !removal.purge }))
      deps.wake(sourcePurge)
    const archived = await archiveMemories(deps, removal)
    await forgetSummaries(deps, removal)
    memories += removal.purge ? await purge(deps, removal) : archived
    if (await endRemoval(deps, removal)) break
  }
  // It tells what agents share.
  await renewSummary(deps)
  return memories
}

async function purge(deps: RemovalDeps, removal: Removal): Promise<number> {
  await purgeTraces(deps, removal)
  const memories = await purgeMemories(deps, removal)
  if (!(await deps.store.file.forgetDeleted()))
    deps.log.warn('the log of the database is read all the while: what was purged leaves it later')
  return memories
}

function removalIn(removal: string | null | undefined): StoredRemoval | undefined {
  return removal ? (JSON.parse(removal) as StoredRemoval) : undefined
}

/** The agent goes with its last memory, in one transaction. @returns false when it saved another one meanwhile. */
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
