import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { timeoutError } from './client-error.js'
import type { Origin } from './origin.js'

export interface HttpRequest {
  method: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  /** A stream needs its headers: type, and length where that is known. */
  body?: string | Buffer | Readable
  timeoutMs: number
  /** Gives the exchange up. */
  signal?: AbortSignal
}

export interface HttpReply {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/**
 * One HTTP exchange by `node:http`, for what `plainExchange` does not do: TLS, bodies that are streams, and calls that
 * may be given up. Without fetch or undici: both cost more to load than the call takes.
 * @throws ClientError `timeout`; otherwise node's own error (`ECONNREFUSED` and so on).
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

/** The same for a reply that its caller reads as it comes; the time limit ends with the reply's head. */
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
      // A daemon that refuses it answers before it has read all.
      body.on('error', fail)
      body.pipe(outgoing)
    }
  })
}

function lengthOf(body: HttpRequest['body']): Record<string, string> {
  if (body === undefined || body instanceof Readable) return {}
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
}
