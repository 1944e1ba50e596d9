import { finished } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../../../contract/ground/errors.js'
import type { Apps } from '../../../mcp/app.js'
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
 * (mcp.md 4.9 and 8). `?tools=` names the set of tools, `?resources` and `?prompts`
 * add those.
 * @param daemon undefined until it is ready
 * @param requests tracks each request while it is handled
 * @param newServer creates the server of one request; only the conformance suite passes another one
 */
export function registerMcp(
  app: FastifyInstance,
  daemon: () => Pick<Daemon, 'plugins' | 'configuration'> | undefined,
  requests: Daemon['mcpRequests'],
  newServer?: typeof createServer,
): void {
  const admission = createAdmission(maxMcpInFlight)
  const offers: Offers = id => daemon()?.plugins.allows({ id, capability: 'mcp:tools' }) ?? true
  const standing = new Set<() => Promise<void>>()
  // An open notification stream must not delay a stop.
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
      // Also fires for a client that has already disconnected.
      finished(reply.raw, () => {
        leave()
        gone.abort()
      })
      const call = inTurns(callOver(askSelf(app, clientOf(request))), gone.signal)
      // The protocol code is loaded by the first request, since most daemons never serve MCP.
      const [{ answerHttp, isModernPost }, ours, { listedTools, offeredTools }] = await Promise.all([
        import('../../../mcp/http.js'),
        import('../../../mcp/server.js'),
        import('../../../mcp/listed-tool.js'),
      ])
      const tools = toolSetOf(request) ?? daemon()?.configuration().settings.mcp.tools ?? 'standard'
      const web = toWebRequest(request)
      const server = (newServer ?? ours.createServer)({
        call,
        tools,
        list: () => offeredTools(listedTools(tools), offers),
        ...extrasOf(request, isModernPost(web, request.body)),
      })
      const { response, close } = await answerHttp(web, request.body, server)
      if (request.method === 'GET') standing.add(close)
      finished(reply.raw, () => {
        standing.delete(close)
        void close()
      })
      return response
    },
  })
}

/** Only for counting: the calls themselves are rejected if the caller may not name that agent. */
function agentOf({ headers, access }: FastifyRequest): string {
  return access?.scope.agent ?? headers['x-service-agent-id']?.toString() ?? access?.agent ?? defaultAgent
}

function toolSetOf(request: FastifyRequest): ToolSet | undefined {
  const { tools } = request.query as { tools?: string }
  if (tools === undefined) return undefined
  const known = toolSets.find(set => set === tools)
  if (known) return known
  throw new AppError('validation_failed', `tools is ${JSON.stringify(tools)}; use ${toolSets.join(' or ')}`)
}

/**
 * `?resources` and `?prompts` ask for them, as the flags of the stdio server do. `?apps` asks for the browser
 * of memories in clients of older revisions, whose requests do not say again what they announced.
 */
function extrasOf({ query }: FastifyRequest, isModern: boolean) {
  const { resources, prompts, apps } = query as Readonly<Record<string, unknown>>
  const isAsked = (value: unknown): boolean => value !== undefined && value !== 'false'
  const unasked: Apps = isModern ? 'announced' : 'hidden'
  return {
    resources: isAsked(resources),
    prompts: isAsked(prompts),
    apps: isAsked(apps) ? ('shown' as const) : unasked,
  }
}

/** Method, address and headers; the parsed body is passed separately. */
function toWebRequest({ method, url, headers }: FastifyRequest): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request(new URL(url, 'http://localhost'), { method, headers: pairs })
}

/** JSON-RPC's own codes where they exist; everything else is "server error". */
const rpcCodes: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32700,
  validation_failed: -32600,
  internal: -32603,
}

const serverError = -32000

/** Answers errors on `/mcp` as JSON-RPC errors with their usual HTTP status (mcp.md 7). */
function answerRpcError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, message, status, headers } = toAppError(error, request)
  for (const [header, value] of Object.entries(headers)) reply.header(header, value)
  void reply.code(status).send({
    jsonrpc: '2.0',
    id: idOf(request.body),
    error: { code: rpcCodes[code] ?? serverError, message, data: { code, requestId: request.id } },
  })
}

/** The id of the failed message; null when none was read, as JSON-RPC requires. */
function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
