import { connect } from 'node:net'
import type { HttpReply, HttpRequest } from './node-exchange.js'
import { formatOrigin, type Origin } from './origin.js'

/** A request whose body is in memory. */
export interface PlainRequest extends Pick<HttpRequest, 'method' | 'path' | 'headers'> {
  body?: string | Buffer | undefined
  timeoutMs: number
  /** Creates the error for a reply that does not arrive in time; by default a message with the time limit. */
  timedOut?: () => Error
}

/**
 * Performs one HTTP exchange without TLS on a new connection. It is written by hand because `node:http` takes
 * longer to load than the rest of a short command.
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
  const fields = { host: new URL(formatOrigin(origin)).host, connection: 'close', ...ofBody, ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${sendable(value)}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
}

/** A line break in a value would start another header. @throws Error */
function sendable(value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw coded('ERR_INVALID_CHAR', 'a header contains a line break or another invalid character')
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
    const incoming = createIncoming()
    const known: { failure?: Error } = {}
    socket.on('data', (chunk: Buffer) => {
      try {
        if (incoming.take(chunk)) socket.destroy()
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
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
    socket.write(message)
  })
}

/** Collects the bytes of a reply. */
function createIncoming() {
  const chunks: Buffer[] = []
  const state = { length: 0, needed: undefined as number | undefined }
  const bytes = (): Buffer => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  const isWhole = (): boolean => state.length >= (state.needed ?? Number.POSITIVE_INFINITY)
  /** @returns true if the reply is complete, as far as its head reveals. @throws Error if it is not HTTP. */
  const take = (chunk: Buffer): boolean => {
    chunks.push(chunk)
    state.length += chunk.length
    // Once the head has arrived, the needed length is known; joining all chunks for each new one would be
    // slow.
    state.needed ??= bytesNeeded(bytes())
    return isWhole()
  }
  return { bytes, isWhole, take }
}

const beginning = 'HTTP/1.'

/**
 * Returns the length of the whole reply once its head has arrived; infinite without a content length.
 * @throws Error if it is not HTTP.
 */
function bytesNeeded(bytes: Buffer): number | undefined {
  if (!beginsLikeHttp(bytes)) throw noHttp()
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(bytes.toString('latin1', 0, end + 2))?.[1]
  return length === undefined ? Number.POSITIVE_INFINITY : end + 4 + Number(length)
}

function beginsLikeHttp(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, beginning.length)
  return start === beginning.slice(0, start.length)
}

/** Parses the bytes of a connection that ends with its reply. @throws Error if the reply is incomplete. */
export function parseReply(bytes: Buffer): HttpReply {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0 && beginsLikeHttp(bytes)) throw brokenOff()
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(0, end)).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/u.exec(first)?.[1])
  if (!status) throw noHttp()
  const headers = Object.fromEntries(lines.map(splitHeader))
  const rest = bytes.subarray(end + 4)
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest
  const { 'content-length': length } = headers
  if (length !== undefined && body.length !== Number(length)) throw brokenOff()
  return { status, headers, text: body.toString('utf8') }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

/** @throws Error if the last chunk is missing. */
function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(chunks)
    const start = lineEnd + 2
    if (!(start + size <= bytes.length)) throw brokenOff()
    chunks.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}

const noHttp = (): Error => coded('HPE_INVALID_CONSTANT', 'the reply is not HTTP')
const brokenOff = (): Error => coded('ECONNRESET', 'the reply is incomplete')

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
