import * as contract from '../../../contract/operations/storage.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Where memories are stored: the file of the workspace or a server (postgres.md). */
export const storage: Domain = {
  routes: lateRoutes(
    [contract.storageStatus, contract.checkStorage, contract.moveStorage, contract.confirmStorage],
    () => import('./routes.js'),
  ),
}
