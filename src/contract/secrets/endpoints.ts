import type { EndpointShape } from '../ground/endpoint.js'
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
] as const satisfies readonly EndpointShape[]
