import type { EndpointShape } from '../ground/endpoint.js'
import * as auth from './auth.js'
import * as inference from './inference.js'

/** Endpoints of credentials and of the language model. */
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
