import type { FastifyInstance } from 'fastify'
import { afterHeader, behindHeader, changeHeader } from '../../../lib/workspace/peer-headers.js'
import type { Daemon } from '../daemon/daemon.js'

const mcpPath = '/mcp'

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
