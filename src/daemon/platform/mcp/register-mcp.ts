import { finished } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../../../contract/ground/errors.js'
import { callOver, inTurns } from '../../../mcp/call-over.js'
import type { Offers } from '../../../mcp/listed-tool.js'
import type { createServer } from '../../../mcp/server.js'
import { type ToolSet, toolSets } from '../../../mcp/tool-set.js'
import { defaultAgent } from '../../ground/visibility/caller.js'
import { askSelf, clientOf } from '../daemon/ask-self.js'
import type { Daemon } from '../daemon/daemon.js'
import { createAdmission, enterOrRefuse } from '../http/admission.js'
import { toAppError } from '../http/errors.js'

const maxBodyBytes = 512 * 1024
export const maxMcpInFlight = 8

/**
 * Serves MCP's streamable HTTP transport at `/mcp`: stateless, 8 requests in flight, bodies of 512 KiB
 * (mcp.md 4.9 and 8). `?tools=core` offers the small set of tools.
 * @param offers whether tools of a plugin are offered.
 * @param requests is told of each while it is handled.
 * @param newServer makes the server of one request; only the conformance suite brings another.
 */
export function registerMcp(
  app: FastifyInstance,
  offers: Offers,
  requests: Daemon['mcpRequests'],
  newServer?: typeof createServer,
): void {
  const admission = createAdmission(maxMcpInFlight)
  const standing = new Set<() => Promise<void>>()
  // A stream that waits for notifications must not hold up a stop.
  app.addHook('preClose', async () => {
    await Promise.all([...standing].map(close => close()))
  })
  const enter = (request: FastifyRequest): (() => void) => {
    const leave = enterOrRefuse(admission, 'MCP requests')
    const end = requests.enter({ agentId: agentOf(request) })
    return () => {
      leave()
      end()
    }
  }
  app.route({
    method: ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'],
    url: '/mcp',
    bodyLimit: maxBodyBytes,
    exposeHeadRoute: false,
    errorHandler: answerRpcError,
    handler: async (request, reply) => {
      const leave = request.method === 'GET' ? () => undefined : enter(request)
      const gone = new AbortController()
      // Also for a client that has gone already.
      finished(reply.raw, () => {
        leave()
        gone.abort()
      })
      const call = inTurns(callOver(askSelf(app, clientOf(request))), gone.signal)
      // What speaks the protocol is loaded by the first request: most daemons start for something else.
      const [{ answerHttp }, ours] = await Promise.all([
        import('../../../mcp/http.js'),
        import('../../../mcp/server.js'),
      ])
      const server = (newServer ?? ours.createServer)({ call, offers, tools: toolSetOf(request) })
      const { response, close } = await answerHttp(toWebRequest(request), request.body, server)
      if (request.method === 'GET') standing.add(close)
      finished(reply.raw, () => {
        standing.delete(close)
        void close()
      })
      return response
    },
  })
}

/** The calls that it makes are refused where it may not name that agent. */
function agentOf({ headers, access }: FastifyRequest): string {
  return access?.scope.agent ?? headers['x-service-agent-id']?.toString() ?? access?.agent ?? defaultAgent
}

function toolSetOf(request: FastifyRequest): ToolSet {
  const { tools = 'all' } = request.query as { tools?: string }
  const known = toolSets.find(set => set === tools)
  if (known) return known
  throw new AppError(
    'validation_failed',
    `tools is ${JSON.stringify(tools)}; it takes ${toolSets.join(' or ')}`,
  )
}

/** Method, address and headers; the body travels beside it, already read and parsed. */
function toWebRequest({ method, url, headers }: FastifyRequest): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request(new URL(url, 'http://localhost'), { method, headers: pairs })
}

/** JSON-RPC's own numbers where it has one for a fault; the rest is "server error". */
const numbers: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32700,
  validation_failed: -32600,
  internal: -32603,
}

const serverError = -32000

/** Answers whatever goes wrong on `/mcp` as a JSON-RPC error, with the HTTP status that it has elsewhere (mcp.md 7). */
function answerRpcError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, message, status, headers } = toAppError(error, request)
  for (const [header, value] of Object.entries(headers)) reply.header(header, value)
  void reply.code(status).send({
    jsonrpc: '2.0',
    id: idOf(request.body),
    error: { code: numbers[code] ?? serverError, message, data: { code, requestId: request.id } },
  })
}

/** The id of the message that could not be served; null where none was read, as JSON-RPC has it. */
function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
