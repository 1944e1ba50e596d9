import type { EndpointShape } from '../ground/endpoint.js'
import * as exec from './exec.js'
import * as providers from './providers.js'
import * as store from './store.js'
import * as workspaceKey from './workspace-key.js'

/** Endpoints of secrets and of commands that use them. */
export const secretsEndpoints = [
  store.listSecrets,
  store.storeSecret,
  store.deleteSecret,
  store.secretStoreStatus,
  store.protectSecrets,
  store.unlockSecrets,
  store.rotateSecrets,
  store.exportSecrets,
  store.importSecrets,
  workspaceKey.workspaceKeyStatus,
  workspaceKey.setWorkspaceKey,
  workspaceKey.showWorkspaceIdentity,
  providers.bitwardenStatusEndpoint,
  providers.connectBitwarden,
  providers.disconnectBitwarden,
  providers.chooseProvider,
  providers.bitwardenFolders,
  providers.migrateToBitwarden,
  providers.onePasswordStatusEndpoint,
  providers.connectOnePassword,
  providers.disconnectOnePassword,
  providers.onePasswordVaults,
  providers.importFromOnePassword,
  exec.runCommand,
  exec.commandStatus,
  exec.cancelCommand,
  exec.commandOutput,
  exec.runCommandWith,
] as const satisfies readonly EndpointShape[]
