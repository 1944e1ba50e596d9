import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { bind, type Route, type WhenReady } from './bind.js'
import { passBodiesOn } from './bodies/large-bodies.js'

/**
 * Registers all routes. Routes with bodies other than JSON are in separate scopes, so that their parsers
 * don't affect the others.
 */
export function bindAll(app: FastifyInstance, whenReady: WhenReady, routes: readonly Route[]): void {
  const streams = routes.filter(({ endpoint }) => endpoint.stream)
  const forms = routes.filter(({ endpoint }) => endpoint.form)
  const others = routes.filter(({ endpoint }) => !endpoint.stream && !endpoint.form)
  registerTogether(app, () => {
    for (const route of others) bind(app, whenReady, route)
  })
  app.register(async scope => {
    passBodiesOn(scope)
    for (const route of streams) bind(scope, whenReady, route)
  })
  app.register(async scope => {
    await scope.register(multipart)
    for (const route of forms) bind(scope, whenReady, route)
  })
}

type Step = (error: Error | null, done: (error?: Error | null) => void) => void

/**
 * Fastify finishes each route in its own queue step, and hundreds of steps take as long as the routes
 * themselves. This finishes all routes that `add` registers in one step.
 */
function registerTogether(app: FastifyInstance, add: () => void): void {
  const steps: Step[] = []
  const queue = app.after
  app.after = ((step: Step) => {
    steps.push(step)
    return app
  }) as typeof app.after
  try {
    add()
  } finally {
    app.after = queue
  }
  app.after((error: Error | null) => {
    const ends: (Error | null | undefined)[] = []
    for (const step of steps) step(error, end => void ends.push(end))
    const failed = ends.find(end => end)
    if (failed) throw failed
  })
}

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
