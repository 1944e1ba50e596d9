import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { isRecord } from '../lib/text/json-of.js'
import type { McpServer } from './server.js'
import { readCall } from './tool/read-arguments.js'

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
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await server.connect(transport)
  const response = await transport.handleRequest(request, {
    parsedBody: readCalls(withoutCancellations(body)),
  })
  return {
    response: isStandingStream(request, response) ? opened(response) : response,
    close: () => server.close(),
  }
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
