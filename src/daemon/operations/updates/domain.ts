import * as contract from '../../../contract/operations/updates.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { ownInstallation } from './installation.js'
import { createUpdateWorker } from './update-worker.js'

/** Checks for releases of this program and installs them (operations.md 2). */
export const updates: Domain = {
  routes: lateRoutes(
    [contract.checkUpdate, contract.getUpdateConfig, contract.setUpdateConfig, contract.runUpdate],
    () => import('./routes.js'),
  ),
  workers: [daemon => createUpdateWorker(daemon)],
  recover: async daemon => {
    const { method, executable } = ownInstallation(daemon)
    if (method !== 'binary') return
    const { sweepParts } = await import('./install-binary.js')
    await sweepParts(executable)
  },
}
