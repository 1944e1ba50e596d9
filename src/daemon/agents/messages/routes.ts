import * as contract from '../../../contract/agents/messages.js'
import { route } from '../../platform/http/bind.js'
import { acknowledge, findSent } from './acknowledge.js'
import { listPresence, readInbox } from './read-inbox.js'
import { relayMessage } from './relay-message.js'
import { sendMessage } from './send-message.js'

export const routes = [
  route(contract.listPresence, async (daemon, { caller, query }) => {
    const sessions = await listPresence(daemon, caller, query)
    return { sessions, count: sessions.length }
  }),
  route(contract.sendMessage, (daemon, { caller, body }) => sendMessage(daemon, caller, body)),
  route(contract.readInbox, (daemon, { caller, query }) => readInbox(daemon, caller, query)),
  route(contract.acknowledgeMessage, (daemon, { caller, params, body }) =>
    acknowledge(daemon, caller, { ...body, ...params }),
  ),
  route(contract.retryMessage, async (daemon, { caller, params, body }) =>
    relayMessage(daemon, await findSent(daemon, caller, { ...body, ...params }), { from: 'indeterminate' }),
  ),
]
