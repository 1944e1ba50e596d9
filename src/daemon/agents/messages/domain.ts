import * as contract from '../../../contract/agents/messages.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { loseRelays } from './relay-message.js'

/** What agents write to each other (messages.md). */
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
  recover: loseRelays,
}
