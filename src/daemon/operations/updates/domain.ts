import * as contract from '../../../contract/operations/updates.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { checkUpdate } from './check.js'
import { changeUpdateConfig, updateStateOf } from './config.js'
import { sweepParts } from './install-binary.js'
import { installLatest, ownInstallation } from './install-latest.js'
import { createUpdateWorker } from './update-worker.js'

/** Releases of this program: looking for them, and installing them (operations.md 2). */
export const updates: Domain = {
  routes: [
    route(contract.checkUpdate, (daemon, { query }) => checkUpdate(daemon, query)),
    route(contract.getUpdateConfig, daemon => updateStateOf(daemon)),
    route(contract.setUpdateConfig, (daemon, { body }) => changeUpdateConfig(daemon, body)),
    route(contract.runUpdate, daemon => installLatest(daemon)),
  ],
  workers: [daemon => createUpdateWorker(daemon)],
  recover: async daemon => {
    const { method, executable } = ownInstallation(daemon)
    if (method === 'binary') await sweepParts(executable)
  },
}
