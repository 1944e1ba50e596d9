import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import type { Route } from './bind.js'

/**
 * Routes whose code is imported by their first request, so that a start loads only their contract.
 * @param load imports the module with the routes of all these endpoints
 */
export function lateRoutes(
  endpoints: readonly EndpointShape[],
  load: () => Promise<{ routes: readonly Route[] }>,
): Route[] {
  return endpoints.map(endpoint => ({
    endpoint,
    handler: async () => {
      const { routes } = await load()
      const route = routes.find(one => one.endpoint === endpoint)
      if (!route) throw new Error(`no route serves ${endpoint.method} ${endpoint.path}`)
      return route.handler()
    },
  }))
}
