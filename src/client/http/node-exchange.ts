import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { timeoutError } from './client-error.js'
import type { Origin } from './origin.js'

export interface HttpRequest {
  method: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  /** A stream needs explicit headers: its type, and its length if known. */
  body?: string | Buffer | Readable
  timeoutMs: number
  /** Cancels the exchange. */
  signal?: AbortSignal
}

export interface HttpReply {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/**
 * Performs one HTTP exchange with `node:http`, for everything `plainExchange` lacks: TLS, streamed bodies and
 * cancellation. It avoids fetch and undici, which take longer to load than the call.
 * @throws ClientError `timeout`; otherwise Node's own error (`ECONNREFUSED` and so on).
 */
export function exchange(origin: Origin, request: HttpRequest): Promise<HttpReply> {
  return roundTrip<HttpReply>(origin, request, (response, done, fail) => {
    const chunks: Buffer[] = []
    response.on('error', fail)
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      done({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
  })
}

/** Opens an exchange whose reply the caller reads as a stream; the time limit ends with the reply's head. */
export function openExchange(origin: Origin, request: HttpRequest): Promise<IncomingMessage> {
  return roundTrip<IncomingMessage>(origin, request, (response, done) => done(response))
}

async function roundTrip<T>(
  origin: Origin,
  request: HttpRequest,
  onResponse: (response: IncomingMessage, done: (value: T) => void, fail: (error: Error) => void) => void,
): Promise<T> {
  const send = origin.protocol === 'https:' ? (await import('node:https')).request : httpRequest
  return new Promise((resolve, reject) => {
    const { method, path, body, timeoutMs, signal } = request
    const headers = { ...lengthOf(body), ...request.headers }
    const outgoing = send({
      host: origin.host,
      port: origin.port,
      method,
      path,
      headers,
      signal,
      agent: false,
    })
    const timer = setTimeout(() => outgoing.destroy(timeoutError(origin, request)), timeoutMs)
    const done = (value: T) => {
      clearTimeout(timer)
      resolve(value)
    }
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    outgoing.on('error', fail)
    outgoing.on('response', response => onResponse(response, done, fail))
    if (!(body instanceof Readable)) outgoing.end(body)
    else {
      // A daemon that rejects the request answers before it has read the whole body.
      body.on('error', fail)
      body.pipe(outgoing)
    }
  })
}

function lengthOf(body: HttpRequest['body']): Record<string, string> {
  if (body === undefined || body instanceof Readable) return {}
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
}
