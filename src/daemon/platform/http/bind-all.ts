import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { bind, type Route, type WhenReady } from './bind.js'
import { queuedAtOnce } from './queued-at-once.js'
import { passBodiesOn } from './stream-bodies.js'

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
