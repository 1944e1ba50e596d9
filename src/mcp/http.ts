import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { McpServer } from './server.js'

export interface HttpAnswer {
  response: Response
  /** Ends the server of this request and its streams. */
  close(): Promise<void>
}

/**
 * Answers one request of the streamable HTTP transport; no state outlives it (mcp.md 4.9).
 * @param body what a POST carries, parsed.
 * @param server one that serves nothing else.
 */
export async function answerHttp(request: Request, body: unknown, server: McpServer): Promise<HttpAnswer> {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: withoutCancellations(body) })
  return {
    response: isStandingStream(request, response) ? opened(response) : response,
    close: () => server.close(),
  }
}

/**
 * What a batch cancels it asks for itself, since nothing outlives a request: a reply that never came would keep the
 * request, and its place among those in flight, until the client goes.
 */
function withoutCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  return body.filter((message: { method?: unknown } | null) => message?.method !== 'notifications/cancelled')
}

function isStandingStream({ method }: Request, { body, status }: Response): boolean {
  return method === 'GET' && status === 200 && body !== null
}

/** Clients wait for the headers of a stream, and those leave with its first bytes: a comment. */
function opened(response: Response): Response {
  const comment = new TextEncoder().encode(': open\n\n')
  const body = response.body?.pipeThrough(
    new TransformStream({ start: controller => controller.enqueue(comment) }),
  )
  return new Response(body, response)
}
