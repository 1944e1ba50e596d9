import * as contract from '../../../contract/sessions/hooks.js'
import { route } from '../../platform/http/bind.js'
import { recallByHook, rememberByHook } from './memory-hooks.js'
import { notify } from './peer-messages.js'
import { promptSubmit } from './prompt-submit.js'
import { sessionStart } from './session-start.js'
import { subagentStart } from './subagent-start.js'

export const routes = [
  route(contract.sessionStart, (daemon, { caller, body }) => sessionStart(daemon, caller, body)),
  route(contract.subagentStart, (daemon, { caller, body }) => subagentStart(daemon, caller, body)),
  route(contract.promptSubmit, (daemon, { caller, body }) => promptSubmit(daemon, caller, body)),
  route(contract.hookRemember, (daemon, { caller, body }) => rememberByHook(daemon, caller, body)),
  route(contract.hookRecall, (daemon, { caller, body }) => recallByHook(daemon, caller, body)),
  route(contract.hookNotifications, (daemon, { caller, body }) => notify(daemon, caller, body)),
]
