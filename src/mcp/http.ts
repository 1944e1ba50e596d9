import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../lib/text/json-of.js'
import { askFirst } from './ask-first.js'
import { AskedServer, modernAnswers } from './modern/answer.js'
import { claimsModern, modernCodes, type RpcFault, readEnvelope } from './modern/envelope.js'
import { headerFault, isModernPost } from './modern/headers.js'
import type { McpServer } from './server.js'
import { readCall } from './tool/read-arguments.js'

export { isModernPost }

export interface HttpAnswer {
  response: Response
  /** Closes the server of this request and its streams. */
  close(): Promise<void>
}

/**
 * Answers one stateless request of the streamable HTTP transport (mcp.md 4.9).
 * @param body parsed body of a POST.
 * @param server serves only this request.
 */
export async function answerHttp(request: Request, body: unknown, server: McpServer): Promise<HttpAnswer> {
  const close = () => server.close()
  if (isModernPost(request, body)) return { response: await answerModern(request, body, server), close }
  if (Array.isArray(body) && body.some(claimsModern))
    return { response: refused(noBatches, null, 400), close }
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await server.connect(transport)
  const response = await transport.handleRequest(request, {
    parsedBody: readCalls(withoutCancellations(body)),
  })
  return {
    response: isStandingStream(request, response) ? opened(response) : response,
    close,
  }
}

const noBatches = { code: modernCodes.invalidRequest, message: 'revision 2026-07-28 has no batches' }

/** Statuses of errors that are about the protocol; all others are replies of the server. */
const statuses: Readonly<Record<number, number>> = {
  [modernCodes.invalidRequest]: 400,
  [modernCodes.methodNotFound]: 404,
  [modernCodes.unsupportedVersion]: 400,
}

/** Answers one request of revision 2026-07-28, as JSON, or as a stream if it has several messages. */
async function answerModern(request: Request, body: unknown, server: McpServer): Promise<Response> {
  if (!isRecord(body) || typeof body.method !== 'string')
    return refused({ code: modernCodes.invalidRequest, message: 'not a JSON-RPC 2.0 message' }, null, 400)
  const id = typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
  const wrong = headerFault(request, body)
  if (wrong) return refused(wrong, id, 400)
  if (id === null) return new Response(null, { status: 202 })
  const read = readEnvelope(body.params)
  if ('fault' in read) return refused(read.fault, id, 400)
  const asked = new AskedServer()
  await server.connect(asked)
  const messages = await modernAnswers(asked, askFirst)(readCall(body) as JSONRPCMessage)
  const [reply] = messages
  if (messages.length === 1 && reply) return rpcResponse(reply)
  const events = messages.map(message => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('')
  return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
}

function rpcResponse(reply: JSONRPCMessage): Response {
  const status = 'error' in reply ? (statuses[reply.error.code] ?? 200) : 200
  return Response.json(reply, { status })
}

function refused(error: RpcFault, id: string | number | null, status: number): Response {
  return Response.json({ jsonrpc: '2.0', id, error }, { status })
}

/**
 * Removes cancellations from a batch, since they can only cancel calls of the same request. A missing reply
 * would keep the request and its slot occupied until the client disconnects.
 */
function withoutCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  return body.filter((message: { method?: unknown } | null) => message?.method !== 'notifications/cancelled')
}

function readCalls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(readCall)
  return isRecord(body) ? readCall(body) : body
}

function isStandingStream({ method }: Request, { body, status }: Response): boolean {
  return method === 'GET' && status === 200 && body !== null
}

/** Clients wait for a stream's headers, which are sent with its first bytes, so it begins with a comment. */
function opened(response: Response): Response {
  const comment = new TextEncoder().encode(': open\n\n')
  const body = response.body?.pipeThrough(
    new TransformStream({ start: controller => controller.enqueue(comment) }),
  )
  return new Response(body, response)
}
