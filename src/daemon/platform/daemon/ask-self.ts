import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { peerOf, proxyHeaders, type RequestOrigin } from '../auth/loopback.js'

/** The identity the daemon uses when it calls its own API. */
export interface SelfClient {
  /** Credential, agent and other identifying headers. */
  headers: Record<string, string>
  /** Its network address. */
  peer: string
}

export interface SelfRequest {
  method: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  /** JSON text. */
  body?: string | Buffer
}

export interface SelfReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Serves one API request inside the process. Rejects when the daemon no longer accepts requests. */
export type AskSelf = (request: SelfRequest) => Promise<SelfReply>

/**
 * Calls the API inside the process with exactly the client's rights over HTTP. Headers of a request override
 * those of its client.
 */
export function askSelf(app: FastifyInstance, client: SelfClient): AskSelf {
  return async ({ method, path, headers, body }) => {
    const reply = await app.inject({
      method: method as InjectOptions['method'],
      url: path,
      headers: {
        ...client.headers,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      remoteAddress: client.peer,
      ...(body !== undefined && { payload: body }),
    })
    return { status: reply.statusCode, headers: reply.headers as IncomingHttpHeaders, text: reply.payload }
  }
}

const forwardedHeaders: ReadonlySet<string> = new Set(['authorization', 'host', ...proxyHeaders])

/** The identity of a request's sender, without headers that describe its body. */
export function clientOf(request: RequestOrigin): SelfClient {
  const passed = Object.entries(request.headers).filter(
    ([name]) => forwardedHeaders.has(name) || name.startsWith('x-service-'),
  )
  return {
    headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    peer: peerOf(request).peer,
  }
}
