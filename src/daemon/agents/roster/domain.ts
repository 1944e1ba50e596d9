/**
 * The agents area: the agents that keep memories here, and what is done with them as agents.
 *
 * `roster/` (here) knows their names and what each may read of others, `messages/` delivers texts between
 * them, `tasks/` starts them on a schedule, `skills/` installs their skills, `harness-files/` lists the
 * files they read, `plugins/` switches parts of the daemon on and off. Requests come in from commands, tools
 * and the web page; a task goes out as a process, a message as a row or to another server. What agents say
 * in a session is the work of the sessions area.
 */

import * as contract from '../../../contract/agents/roster.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createRemovalWorker } from './removal-worker.js'

/** Who keeps memories, and what each may read (agents.md). */
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
