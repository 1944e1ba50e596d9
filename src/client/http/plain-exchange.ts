import { connect } from 'node:net'
import { instanceHeader } from '../../lib/workspace/peer-headers.js'
import type { HttpRequest } from './node-exchange.js'
import { formatOrigin, type Origin } from './origin.js'
import type { HttpReply } from './plain-reply.js'
import { collectReply, errorWithCode, parseReply } from './plain-reply.js'
import { provePeer } from './prove-peer.js'

/** A request whose body is in memory. */
export interface PlainRequest extends Pick<HttpRequest, 'method' | 'path' | 'headers'> {
  body?: string | Buffer | undefined
  timeoutMs: number
  /** Creates the error for a reply that does not arrive in time; by default a message with the time limit. */
  timedOut?: () => Error
}

/**
 * Performs one HTTP exchange without TLS on a new connection, once the daemon there has proven itself. It is
 * written by hand because `node:http` takes longer to load than the rest of a short command.
 * @throws Error with the codes of `node:http`: `HPE_INVALID_CONSTANT` for a reply that is not HTTP,
 * `ECONNRESET` for an incomplete one, `ERR_INVALID_CHAR` for an invalid header; otherwise the system's code
 * (`ECONNREFUSED`).
 */
export async function plainExchange(origin: Origin, request: PlainRequest): Promise<HttpReply> {
  const { body = '' } = request
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return roundTrip(origin, request, Buffer.concat([headOf(origin, request, bytes.length), bytes]))
}

/** Requests with these methods have a body, possibly an empty one. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])

function headOf(origin: Origin, { method, path, headers, body }: PlainRequest, length: number): Buffer {
  const ofBody = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...((body !== undefined || withBody.has(method)) && { 'content-length': String(length) }),
  }
  const fields = {
    host: new URL(formatOrigin(origin)).host,
    connection: 'close',
    ...ofBody,
    ...headers,
    ...(origin.expected && { [instanceHeader]: origin.expected.instance }),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${sendable(value)}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
}

/** A line break in a value would start another header. @throws Error */
function sendable(value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw errorWithCode('ERR_INVALID_CHAR', 'a header contains a line break or another invalid character')
  return value
}

function roundTrip(
  origin: Origin,
  { timeoutMs, timedOut }: PlainRequest,
  message: Buffer,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: origin.host, port: origin.port, noDelay: true })
    const late = (): Error =>
      timedOut?.() ?? new Error(`no answer from ${formatOrigin(origin)} within ${Math.round(timeoutMs)} ms`)
    const timer = setTimeout(() => socket.destroy(late()), timeoutMs)
    const incoming = collectReply()
    const known: { failure?: Error } = {}
    const ask = (): void => {
      socket.on('data', (chunk: Buffer) => {
        try {
          if (incoming.take(chunk)) socket.destroy()
        } catch (error) {
          socket.destroy(error as Error)
        }
      })
      socket.write(message)
    }
    socket.on('error', (error: Error) => {
      known.failure = error
    })
    socket.on('close', () => {
      clearTimeout(timer)
      try {
        // A daemon that rejects a body answers before it has read it all; its reply counts, not the
        // connection error.
        if (known.failure && !incoming.isWhole()) throw known.failure
        resolve(parseReply(incoming.bytes()))
      } catch (error) {
        reject(error)
      }
    })
    if (!origin.expected) return ask()
    // Nothing is sent before the daemon has proven itself.
    socket.once('connect', () => {
      const proof = provePeer(socket, origin)
      if (proof === true) ask()
      else proof.then(ask, error => socket.destroy(error))
    })
  })
}
