import type { EndpointShape } from '../ground/endpoint.js'

/** Secrets and commands that use them: the endpoints of this area. */
export const secretsEndpoints = [] as const satisfies readonly EndpointShape[]
