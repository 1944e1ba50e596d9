/**
 * The agents area: the agents that keep memories here, and everything done with them as agents.
 *
 * `roster/` (here) knows their names and read policies, `messages/` delivers texts between them, `tasks/`
 * starts them on a schedule, `skills/` installs their skills, `harness-files/` lists the files they read,
 * `plugins/` switches parts of the daemon on and off. Requests come from commands, tools and the web page.
 * A task leaves as a process, a message as a row or a request to another server. Conversations belong to
 * the sessions area.
 */
import * as contract from '../../../contract/agents/roster.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createOnePassWork, type Worker } from '../../platform/jobs/worker.js'
import type { RemovalDeps } from './purge.js'

/** Agents and their read policies (agents.md). */
export const roster: Domain = {
  routes: lateRoutes(
    [
      contract.listAgents,
      contract.getAgent,
      contract.createAgent,
      contract.changeAgent,
      contract.removeAgent,
    ],
    () => import('./routes.js'),
  ),
  workers: [createRemovalWorker],
}

/** Finishes removals that a kill, a stop or a freeze interrupted. */
function createRemovalWorker(deps: RemovalDeps): Worker {
  return createOnePassWork({
    run: async signal => {
      for (const { id } of await deps.store.tables.agents.beingRemoved()) {
        if (signal.aborted || isFrozen(deps)) return
        const { finishRemoval } = await import('./remove-agent.js')
        const memories = await finishRemoval(deps, id, signal)
        deps.log.info({ memories }, 'agent removal finished')
      }
    },
    onError: error => deps.log.warn({ err: error }, 'agent removal failed; it resumes at the next start'),
  })
}
