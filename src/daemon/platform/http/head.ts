import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Its GET opens a stream of another protocol, which has no HEAD. */
const withoutHead: ReadonlySet<string | undefined> = new Set(['/mcp'])
const headRequests = new WeakSet<IncomingMessage>()

/**
 * Fastify's `rewriteUrl`, called before routing: HEAD is routed like GET. Fastify's own HEAD routes would be
 * a third of all routes, created at every start.
 * @returns the unchanged address
 */
export function findHeadByGet(request: IncomingMessage): string {
  const url = request.url ?? '/'
  if (request.method !== 'HEAD' || withoutHead.has(url.split('?', 1)[0])) return url
  headRequests.add(request)
  request.method = 'GET'
  return url
}

/** Restores the client's method once the route is found. */
export function nameHead(request: IncomingMessage): void {
  if (headRequests.has(request)) request.method = 'HEAD'
}

/**
 * Answers HEAD with the headers of GET and no body. Register it after every other hook that creates bodies.
 */
export function answerHead(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (!headRequests.has(request.raw) || request.is404) return done(null, payload)
    if (payload === undefined) reply.header('content-length', '0')
    else if (typeof payload === 'string' || Buffer.isBuffer(payload))
      reply.header('content-length', String(Buffer.byteLength(payload)))
    else if (payload instanceof Readable) {
      payload.on('error', err =>
        request.log.error({ err, requestId: request.id }, 'body of a HEAD request failed'),
      )
      payload.resume()
    }
    done(null, null)
  })
}
