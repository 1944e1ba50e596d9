import type { EndpointShape } from '../ground/endpoint.js'
import * as auth from './auth.js'
import * as inference from './inference.js'

/** Credentials, and the language model that may be asked: the endpoints of this area. */
export const platformEndpoints = [
  auth.issueToken,
  auth.whoami,
  auth.login,
  auth.ssoLogin,
  auth.samlLogin,
  auth.createApiKey,
  auth.listApiKeys,
  auth.revokeApiKey,
  inference.inferenceStatus,
] as const satisfies readonly EndpointShape[]
