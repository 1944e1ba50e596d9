import type { EndpointShape } from '../ground/endpoint.js'

/** Agents, their skills and plugins: the endpoints of this area. */
export const agentsEndpoints = [] as const satisfies readonly EndpointShape[]
