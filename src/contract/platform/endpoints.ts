import type { EndpointShape } from '../ground/endpoint.js'
import * as auth from './auth.js'

/** Credentials: the endpoints of this area. */
export const platformEndpoints = [
  auth.issueToken,
  auth.whoami,
  auth.login,
  auth.ssoLogin,
  auth.samlLogin,
  auth.createApiKey,
  auth.listApiKeys,
  auth.revokeApiKey,
] as const satisfies readonly EndpointShape[]
