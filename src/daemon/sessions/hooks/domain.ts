/**
 * The sessions area: what the daemon does while a coding agent works.
 *
 * `harness/` translates what agents write into our API, `tracker/` knows which sessions are open, `hooks/`
 * (here) composes the text that a session gets, `capture/` and `transcripts/` store what was said,
 * `compaction/` and `summaries/` keep summaries, `synthesis/` writes MEMORY.md, `black-box/` records what a
 * session was given. Hooks come in over HTTP. Text for the agent goes out in the reply; transcripts and
 * summaries go to the database. It saves and recalls memories by calling the memory area.
 */

import * as contract from '../../../contract/sessions/hooks.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** The hooks that give a session context (rules.md 4.10). */
export const hooks: Domain = {
  routes: lateRoutes(
    [
      contract.sessionStart,
      contract.subagentStart,
      contract.promptSubmit,
      contract.hookRemember,
      contract.hookRecall,
      contract.hookNotifications,
    ],
    () => import('./routes.js'),
  ),
}
