import * as contract from '../../../contract/operations/sync.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createSyncWorker } from './exchange/worker.js'

/** The memories of several machines as one, through a store that sees only ciphertext (sync.md). */
export const sync: Domain = {
  routes: lateRoutes(
    [
      contract.syncStatus,
      contract.initSync,
      contract.joinSync,
      contract.approveSync,
      contract.runSync,
      contract.pauseSync,
      contract.revokeDevice,
      contract.recoverSync,
      contract.leaveSync,
      contract.listBox,
      contract.getBoxed,
      contract.putBoxed,
      contract.removeBoxed,
    ],
    () => import('./routes.js'),
  ),
  workers: [createSyncWorker],
}
