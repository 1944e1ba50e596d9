import * as authContract from '../../contract/platform/auth.js'
import * as inferenceContract from '../../contract/platform/inference.js'
import { createDaemonState } from './daemon/daemon.js'
import type { Domain } from './domain.js'
import { lateRoutes } from './http/bind-all.js'
import { endLeftoverPrograms, type LeftoverPrograms } from './processes/process-group.js'

export const credentials: Domain = {
  routes: lateRoutes(
    [
      authContract.issueToken,
      authContract.whoami,
      authContract.login,
      authContract.ssoLogin,
      authContract.samlLogin,
      authContract.createApiKey,
      authContract.listApiKeys,
      authContract.revokeApiKey,
    ],
    () => import('./credentials/routes.js'),
  ),
}

/** Status of the language model. */
export const inference: Domain = {
  routes: lateRoutes([inferenceContract.inferenceStatus], () => import('./inference/routes.js')),
}

/** Programs left running by the previous daemon. */
export const leftGroups = createDaemonState<LeftoverPrograms>()

/** The programs that the daemon starts. */
export const processes: Domain = { workers: [daemon => leftGroups.keep(daemon, endLeftoverPrograms(daemon))] }
