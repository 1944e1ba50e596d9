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
import { route } from '../../platform/http/bind.js'
import { recallByHook, rememberByHook } from './memory-hooks.js'
import { notify } from './notify.js'
import { promptSubmit } from './prompt-submit.js'
import { sessionStart } from './session-start.js'

/** The hooks that give a session context (rules.md 4.10). */
export const hooks: Domain = {
  routes: [
    route(contract.sessionStart, (daemon, { caller, body }) => sessionStart(daemon, caller, body)),
    route(contract.promptSubmit, (daemon, { caller, body }) => promptSubmit(daemon, caller, body)),
    route(contract.hookRemember, (daemon, { caller, body }) => rememberByHook(daemon, caller, body)),
    route(contract.hookRecall, (daemon, { caller, body }) => recallByHook(daemon, caller, body)),
    route(contract.hookNotifications, (daemon, { caller, body }) => notify(daemon, caller, body)),
  ],
}
