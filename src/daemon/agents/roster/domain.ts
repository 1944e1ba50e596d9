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
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createRemovalWorker } from './removal-worker.js'

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
