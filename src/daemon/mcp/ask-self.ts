import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callOver } from '../../mcp/call-over.js'
import type { Call } from '../../mcp/tool.js'

/**
 * Calls the API for a tool without leaving the process, as the client of the MCP request: its credential, its agent and
 * its network address count, so that a tool can do what its caller could do by HTTP and nothing more.
 */
export function askSelf(app: FastifyInstance, request: FastifyRequest): Call {
  return callOver(ownHeaders(request), async ({ method, path, headers, body }) => {
    const reply = await app.inject({
      method: method as 'GET',
      url: path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      // A socket that is gone has no address; without one the call would pass for a local one.
      remoteAddress: request.socket.remoteAddress ?? '0.0.0.0',
      ...(body !== undefined && { payload: body }),
    })
    return { status: reply.statusCode, headers: reply.headers as Record<string, string>, text: reply.payload }
  })
}

/** Who asks; what describes the MCP request's own body stays behind. */
function ownHeaders({ headers }: FastifyRequest): Record<string, string> {
  const passed = Object.entries(headers).filter(
    ([name]) => name === 'authorization' || name === 'host' || name.startsWith('x-service-'),
  )
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]))
}
