import { Readable } from 'node:stream'
import { timeoutError } from './client-error.js'
import type { HttpRequest } from './node-exchange.js'
import type { Origin } from './origin.js'
import { plainExchange } from './plain-exchange.js'
import type { HttpReply } from './plain-reply.js'

/**
 * Performs one HTTP exchange on a new connection. The time limit covers everything from connecting to the
 * last byte.
 * @throws ClientError `timeout`; otherwise the error of the system or of `node:http` (`ECONNREFUSED` and so
 * on).
 */
export async function exchange(origin: Origin, request: HttpRequest): Promise<HttpReply> {
  const { body, signal } = request
  if (origin.protocol === 'http:' && !signal && !(body instanceof Readable))
    return plainExchange(origin, { ...request, body, timedOut: () => timeoutError(origin, request) })
  const { exchange: exchangeByNode } = await import('./node-exchange.js')
  return exchangeByNode(origin, request)
}
