import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { instanceHeader } from '../../lib/workspace/peer-headers.js'
import { timeoutError } from './client-error.js'
import type { Origin } from './origin.js'
import type { HttpReply } from './plain-reply.js'
import { provePeer } from './prove-peer.js'

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
  const proven = origin.expected && (await provenSocket(origin, request))
  return new Promise((resolve, reject) => {
    const { method, path, body, timeoutMs, signal } = request
    const headers = {
      ...lengthOf(body),
      ...request.headers,
      ...(origin.expected && { [instanceHeader]: origin.expected.instance }),
    }
    const outgoing = send({
      host: origin.host,
      port: origin.port,
      method,
      path,
      headers,
      signal,
      agent: false,
      ...(proven && { createConnection: () => proven }),
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

/** Connects, and sends nothing before the daemon has proven itself. */
function provenSocket(origin: Origin, request: HttpRequest): Promise<Socket> {
  const { host, port } = origin
  const { timeoutMs, signal } = request
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, ...(signal && { signal }) })
    const timer = setTimeout(() => socket.destroy(timeoutError(origin, request)), timeoutMs)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      reject(error)
    }
    const done = (): void => {
      clearTimeout(timer)
      socket.removeListener('error', fail)
      resolve(socket)
    }
    socket.on('error', fail)
    socket.once('connect', () => {
      const proof = provePeer(socket, origin)
      if (proof === true) done()
      else proof.then(done, error => socket.destroy(error))
    })
  })
}

function lengthOf(body: HttpRequest['body']): Record<string, string> {
  if (body === undefined || body instanceof Readable) return {}
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
}
