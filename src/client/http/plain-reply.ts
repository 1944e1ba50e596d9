import type { IncomingHttpHeaders } from 'node:http'

export interface HttpReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Collects the bytes of a reply. */
export function collectReply() {
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

const noHttp = (): Error => errorWithCode('HPE_INVALID_CONSTANT', 'the reply is not HTTP')
const brokenOff = (): Error => errorWithCode('ECONNRESET', 'the reply is incomplete')

export function errorWithCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
