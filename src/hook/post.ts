import { connect } from 'node:net'
import type { HttpReply } from '../client/http.js'
import { formatOrigin, type Origin } from '../client/origin.js'

export interface Post {
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  timeoutMs: number
}

/**
 * One POST of JSON on a connection of its own. Written by hand, since `node:http` takes longer to load than the rest of
 * a hook: that is for https alone.
 * @throws Error for a reply that is no HTTP or does not come in time; otherwise node's own (`ECONNREFUSED` and so on).
 */
export async function post(origin: Origin, request: Post): Promise<HttpReply> {
  const { path, headers, body, timeoutMs } = request
  if (origin.protocol === 'https:') {
    const { exchange } = await import('../client/http.js')
    return exchange(origin, { method: 'POST', path, headers, body, timeoutMs })
  }
  return parseReply(await roundTrip(origin, Buffer.concat([headOf(origin, request), body]), timeoutMs))
}

function headOf(origin: Origin, { path, headers, body }: Post): Buffer {
  const { host } = new URL(formatOrigin(origin))
  const fields = { host, 'content-length': String(body.length), connection: 'close', ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${oneLine(value)}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\ncontent-type: application/json\r\n${lines.join('')}\r\n`)
}

function roundTrip(origin: Origin, message: Buffer, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: origin.host, port: origin.port, noDelay: true })
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no answer from ${formatOrigin(origin)} within ${Math.round(timeoutMs)} ms`))
    }, timeoutMs)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
    socket.write(message)
  })
}

/** A line end in a value would begin a header of its own. @throws Error */
function oneLine(value: string): string {
  if (/[\r\n\0]/u.test(value)) throw new Error('a header has a line end in it')
  return value
}

/** The whole of a connection that ends with its reply. @throws Error when that is not all of one. */
export function parseReply(bytes: Buffer): HttpReply {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(0, end)).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/u.exec(first)?.[1])
  if (!status) throw new Error('the reply is no HTTP')
  const headers = Object.fromEntries(lines.map(splitHeader))
  const rest = bytes.subarray(end + 4)
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest
  const { 'content-length': length } = headers
  if (length !== undefined && body.length !== Number(length)) throw new Error('the reply broke off')
  return { status, headers, text: body.toString('utf8') }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

/** @throws Error when the last chunk is missing. */
function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(chunks)
    const start = lineEnd + 2
    if (!(start + size <= bytes.length)) throw new Error('the reply broke off')
    chunks.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}
