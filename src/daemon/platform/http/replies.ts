import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isLarge } from '../../../lib/concurrency/every-few-ms.js'
import { afterHeader, behindHeader, changeHeader } from '../../../lib/workspace/peer-headers.js'
import type { Daemon } from '../daemon/daemon.js'

const mcpPath = '/mcp'

/** Its GET opens a stream of another protocol, which has no HEAD. */
const withoutHead: ReadonlySet<string | undefined> = new Set(['/mcp'])
const headRequests = new WeakSet<IncomingMessage>()

declare module 'fastify' {
  interface FastifyRequest {
    /** The newest change that this daemon had committed when the request came. */
    changeBefore: number
  }
}

/**
 * Lets callers read their own writes from any daemon of a database: a reply that may have changed something
 * carries a number, and a request that brings it waits until this daemon's indexes have that change. Clients
 * of MCP over HTTP know no such header, so their requests wait for all that is committed.
 */
export function readOwnWrites(app: FastifyInstance, daemon: () => Daemon | undefined): void {
  app.decorateRequest('changeBefore', 0)
  app.addHook('onRequest', async (request, reply) => {
    const changes = daemon()?.changes
    if (!changes) return
    request.changeBefore = changes.committed()
    const after = Number(request.headers[afterHeader])
    const isMcp = request.method === 'POST' && request.routeOptions.url === mcpPath
    if (!(after > 0) && !isMcp) return
    const isKnown = await (after > 0 ? changes.reached(after) : changes.caughtUp())
    if (!isKnown) reply.header(behindHeader, String(changes.applied()))
  })
  app.addHook('onSend', async (request, reply) => {
    const committed = daemon()?.changes?.committed() ?? 0
    if (committed > request.changeBefore) reply.header(changeHeader, String(committed))
  })
}

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

/**
 * Encodes replies of megabytes in an event loop turn of their own: serialising and encoding take some 15 ms
 * each for 10 MiB, and the socket would encode in the same turn.
 */
export function sendLargeRepliesInTurns(app: FastifyInstance): void {
  app.addHook('onSend', (_request, _reply, payload, done) => {
    if (typeof payload === 'string' && isLarge(payload))
      void nextTurn().then(() => done(null, Buffer.from(payload)))
    else done(null, payload)
  })
}
