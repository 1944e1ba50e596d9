import * as contract from '../../../contract/agents/messages.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { closeLostRelays } from './relay-message.js'

/** Messages between agents (messages.md). */
export const messages: Domain = {
  routes: lateRoutes(
    [
      contract.listPresence,
      contract.sendMessage,
      contract.readInbox,
      contract.acknowledgeMessage,
      contract.retryMessage,
    ],
    () => import('./routes.js'),
  ),
  recoverRows: closeLostRelays,
}
