import * as execContract from '../../contract/secrets/exec.js'
import * as providersContract from '../../contract/secrets/providers.js'
import type { Domain } from '../platform/domain.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { CommandJobs, commandJobs } from './exec/command-jobs.js'

export const secretProviders: Domain = {
  routes: lateRoutes(
    [
      providersContract.bitwardenStatusEndpoint,
      providersContract.connectBitwarden,
      providersContract.disconnectBitwarden,
      providersContract.chooseProvider,
      providersContract.bitwardenFolders,
      providersContract.migrateToBitwarden,
      providersContract.onePasswordStatusEndpoint,
      providersContract.connectOnePassword,
      providersContract.disconnectOnePassword,
      providersContract.onePasswordVaults,
      providersContract.importFromOnePassword,
    ],
    () => import('./providers/routes.js'),
  ),
}

/** Commands with secrets (secret-commands.md). */
export const exec: Domain = {
  routes: lateRoutes(
    [
      execContract.runCommand,
      execContract.runCommandWith,
      execContract.commandStatus,
      execContract.cancelCommand,
      execContract.commandOutput,
    ],
    () => import('./exec/routes.js'),
  ),
  workers: [daemon => commandJobs.keep(daemon, new CommandJobs(daemon))],
}
