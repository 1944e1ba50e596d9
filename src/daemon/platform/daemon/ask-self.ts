import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { headersOfProxies, peerOf, type Sent } from '../auth/loopback.js'

/** Whose rights the daemon uses when it calls its own API. */
export interface SelfClient {
  /** Its credential, its agent, and how it introduces itself. */
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

/** Serves one request of the API without leaving the process. Rejects when the daemon takes none any more. */
export type AskSelf = (request: SelfRequest) => Promise<SelfReply>

/**
 * Calls the API without leaving the process, as a client: what it could do by HTTP and nothing more. Headers of a
 * request win over those of its client.
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

const passedOn: ReadonlySet<string> = new Set(['authorization', 'host', ...headersOfProxies])

/** The credential, headers and address of a request's sender, without the headers that describe its body. */
export function clientOf(request: Sent): SelfClient {
  const passed = Object.entries(request.headers).filter(
    ([name]) => passedOn.has(name) || name.startsWith('x-service-'),
  )
  return {
    headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    peer: peerOf(request).peer,
  }
}
