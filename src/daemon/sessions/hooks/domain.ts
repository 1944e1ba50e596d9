import * as memory from '../../../contract/sessions/hook-memory.js'
import * as notifications from '../../../contract/sessions/hook-notifications.js'
import * as prompt from '../../../contract/sessions/hook-prompt.js'
import * as start from '../../../contract/sessions/hook-session-start.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { recallByHook, rememberByHook } from './memory-hooks.js'
import { notify } from './notify.js'
import { promptSubmit } from './prompt-submit.js'
import { sessionStart } from './session-start.js'

/** The hooks that give a session context (rules.md 4.10). */
export const hooks: Domain = {
  routes: [
    route(start.sessionStart, (daemon, { caller, body }) => sessionStart(daemon, caller, body)),
    route(prompt.promptSubmit, (daemon, { caller, body }) => promptSubmit(daemon, caller, body)),
    route(memory.hookRemember, (daemon, { caller, body }) => rememberByHook(daemon, caller, body)),
    route(memory.hookRecall, (daemon, { caller, body }) => recallByHook(daemon, caller, body)),
    route(notifications.hookNotifications, (daemon, { caller, body }) => notify(daemon, caller, body)),
  ],
}
