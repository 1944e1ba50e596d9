import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { bind, type Route, type WhenReady } from './bind.js'
import { passBodiesOn } from './bodies/stream-bodies.js'

/**
 * Serves all routes. Those that take their bodies in another way than as JSON stand in scopes of their own, so that no
 * other route knows the parsers of these bodies.
 */
export function bindAll(app: FastifyInstance, whenReady: WhenReady, routes: readonly Route[]): void {
  const streams = routes.filter(({ endpoint }) => endpoint.stream)
  const forms = routes.filter(({ endpoint }) => endpoint.form)
  const others = routes.filter(({ endpoint }) => !endpoint.stream && !endpoint.form)
  queuedAtOnce(app, () => {
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
 * Fastify finishes each route in a step of its queue of plugins; hundreds of steps take as long as the routes
 * themselves. What `add` adds is finished in one.
 */
function queuedAtOnce(app: FastifyInstance, add: () => void): void {
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
