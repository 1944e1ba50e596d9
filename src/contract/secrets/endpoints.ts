import type { EndpointShape } from '../ground/endpoint.js'
import * as exec from './exec.js'
import * as providers from './providers.js'
import * as store from './store.js'

/** Secrets and commands that use them: the endpoints of this area. */
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
