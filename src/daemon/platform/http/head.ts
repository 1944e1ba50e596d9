import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Its GET opens a stream of its own protocol, which has no HEAD. */
const withoutHead: ReadonlySet<string | undefined> = new Set(['/mcp'])
const asked = new WeakSet<IncomingMessage>()

/**
 * Fastify's `rewriteUrl`, called before a route is looked for: HEAD goes where GET goes. A route of its own for each, as
 * Fastify makes them, would be a third of all routes, made at every start.
 * @returns the address as it is.
 */
export function findHeadByGet(request: IncomingMessage): string {
  const url = request.url ?? '/'
  if (request.method !== 'HEAD' || withoutHead.has(url.split('?', 1)[0])) return url
  asked.add(request)
  request.method = 'GET'
  return url
}

/** Says again what the client said; called once its route is found. */
export function nameHead(request: IncomingMessage): void {
  if (asked.has(request)) request.method = 'HEAD'
}

/** Answers HEAD with what GET says of its body, and without the body. Add it after every other hook that makes bodies. */
export function answerHead(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (!asked.has(request.raw) || request.is404) return done(null, payload)
    if (payload === undefined) reply.header('content-length', '0')
    else if (typeof payload === 'string' || Buffer.isBuffer(payload))
      reply.header('content-length', String(Buffer.byteLength(payload)))
    else if (payload instanceof Readable) {
      payload.on('error', err =>
        request.log.error({ err, requestId: request.id }, 'a body that HEAD does not send'),
      )
      payload.resume()
    }
    done(null, null)
  })
}
