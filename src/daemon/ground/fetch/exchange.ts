import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { decoderFor, readBeginning } from '../../../lib/network/decode-body.js'
import { unusedProxy } from '../../../lib/network/unused-proxy.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import { version } from '../../../lib/workspace/version.js'
import { ApiFault } from './api-faults.js'

/** Default time limits of one request with its reply. */
const usualDeadlineMs = 60_000
const usualSilenceMs = 30_000
const usualConnectMs = 10_000

export interface ExchangeRequest {
  url: URL
  /** JSON, or bytes of another type that the headers name. */
  body?: string | Uint8Array
  /** POST with a body, otherwise GET, unless it is given. */
  method?: string
  headers: Readonly<Record<string, string>>
  /** Limit for the decompressed reply. */
  maxBytes: number
  /** Longer replies either fail or are cut. */
  beyond?: 'fault' | 'cut'
  signal?: AbortSignal
  /** Time limit for the request with its reply. */
  deadlineMs?: number
}

export interface ExchangeReply {
  url: URL
  status: number
  headers: Dispatcher.ResponseData['headers']
  bytes: Buffer
  /** True if the reply was longer than `bytes`. */
  isCut: boolean
}

export interface ConnectionOptions {
  /** Name resolution; the system's by default. */
  lookup?: LookupFunction
  connectMs?: number
  /** Maximum silence before the first byte and between bytes. */
  silenceMs?: number
  /** Maximum concurrent requests; further ones wait. */
  connections?: number
}

/** Longer texts take more than a few milliseconds to parse at once. */
export const jsonAtOnceBytes = 1024 * 1024
/** Bytes parsed per slice: about 2 ms. */
const stepBytes = 64 * 1024

/**
 * Opens a pool of connections, one by default, kept open between requests; the caller must destroy it. The
 * HTTP client is loaded on first use.
 */
export async function openConnection(options: ConnectionOptions = {}): Promise<Agent> {
  const { lookup, connectMs = usualConnectMs, silenceMs = usualSilenceMs, connections = 1 } = options
  const { Agent } = await import('undici')
  return new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: connectMs, ...(lookup && { lookup }) },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
}

/**
 * Sends one request and reads the whole reply, whatever its status. Redirects are left to the caller.
 * @throws ApiFault `unreachable` for an incomplete reply, `too_large`; the signal's reason when aborted
 */
export async function exchange(agent: Dispatcher, request: ExchangeRequest): Promise<ExchangeReply> {
  const { url, body, headers, signal, deadlineMs = usualDeadlineMs } = request
  const { method = body === undefined ? 'GET' : 'POST' } = request
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const reply = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: {
        'user-agent': `memory-service/${version}`,
        'accept-encoding': 'gzip, deflate, br',
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    return { url, status: reply.statusCode, headers: reply.headers, ...(await readAll(reply, request)) }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof ApiFault) throw error
    const why = deadline.aborted ? `did not answer within ${deadlineMs / 1000} s` : reasonOf(error)
    throw new ApiFault('unreachable', `${url.origin} can't be reached: ${why}${unusedProxy()}`, {
      cause: error,
    })
  }
}

/**
 * Parses the reply as JSON, a long one in slices.
 * @throws ApiFault `unreachable` for anything else, such as a proxy's page or a truncated reply
 */
export async function jsonOf({ url, bytes }: Pick<ExchangeReply, 'url' | 'bytes'>): Promise<unknown> {
  try {
    return await jsonInSlices(bytes)
  } catch {
    throw new ApiFault('unreachable', `${urlWithoutQuery(url)} did not return JSON`)
  }
}

/** A URL for messages: without its query. */
export function urlWithoutQuery({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

/** Quotes a server's message on one line, with the token removed in case the server repeats it. */
export function redactedMessage(token: string | undefined, words: string): string {
  const line = unscannedLine(words, 200)
  return token === undefined ? line : line.replaceAll(token, '[token]')
}

async function readAll(
  { headers, body }: Dispatcher.ResponseData,
  { url, maxBytes, beyond = 'fault' }: ExchangeRequest,
): Promise<Pick<ExchangeReply, 'bytes' | 'isCut'>> {
  const decode = decoderFor(headers['content-encoding'])
  if (!decode) {
    await body.dump()
    throw new ApiFault(
      'unreachable',
      `${urlWithoutQuery(url)} used a content encoding other than gzip, deflate or br`,
    )
  }
  const read = await readBeginning(decode(body), maxBytes)
  if (read.isCut && beyond === 'fault')
    throw new ApiFault('too_large', `${urlWithoutQuery(url)} returned more than ${maxBytes} bytes`)
  return read
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return unscannedLine(code || message || 'no reason given', 200)
}

/**
 * Parses JSON, a long text in slices with turns for other work in between. Slices are about ten times slower
 * than JSON.parse but block no one.
 * @throws Error for invalid JSON
 */
export async function jsonInSlices(bytes: Buffer): Promise<unknown> {
  if (bytes.length <= jsonAtOnceBytes) return JSON.parse(bytes.toString('utf8'))
  const { JSONParser } = await import('@streamparser/json')
  const parser = new JSONParser({ paths: ['$'] })
  const found: { value?: unknown } = {}
  parser.onValue = ({ value }) => {
    found.value = value
  }
  const breathe = everyFewMs()
  for (let at = 0; at < bytes.length; at += stepBytes) {
    parser.write(bytes.subarray(at, at + stepBytes))
    await breathe()
  }
  if (!('value' in found)) throw new Error('the JSON text is incomplete')
  return found.value
}
