import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { decoderFor, readBeginning } from '../../../lib/network/decode-body.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import { version } from '../../../lib/workspace/version.js'
import { ApiFault } from './api-fault.js'
import { jsonInSlices } from './json-in-slices.js'

/** Of one request with its reply, unless the caller says otherwise. */
const usualDeadlineMs = 60_000
const usualSilenceMs = 30_000
const usualConnectMs = 10_000

export interface ExchangeRequest {
  url: URL
  /** JSON text of a POST; a GET without it. */
  body?: string
  headers: Readonly<Record<string, string>>
  /** Of the reply once it is decompressed. */
  maxBytes: number
  /** What becomes of a longer reply: a fault, or its beginning is given. */
  beyond?: 'fault' | 'cut'
  signal?: AbortSignal
  /** Of the request with its reply. */
  deadlineMs?: number
}

export interface Exchanged {
  url: URL
  status: number
  headers: Dispatcher.ResponseData['headers']
  bytes: Buffer
  /** More came than is given. */
  isCut: boolean
}

export interface ConnectionOptions {
  /** How names are resolved; by the system without it. */
  lookup?: LookupFunction
  connectMs?: number
  /** Until the first byte of a reply, and between two of them. */
  silenceMs?: number
  /** Requests at the same time; further ones wait. */
  connections?: number
}

/**
 * Connections of one pass: one at a time unless said, kept open between requests; its owner destroys it. Loaded with the first, so
 * that nobody else pays.
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
 * One request to a server and its whole reply, whatever its status; redirects are the caller's.
 * @throws ApiFault `unreachable` when there is no whole reply, `too_large`; the signal's reason when that was aborted
 */
export async function exchange(agent: Dispatcher, request: ExchangeRequest): Promise<Exchanged> {
  const { url, body, headers, signal, deadlineMs = usualDeadlineMs } = request
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const reply = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: body === undefined ? 'GET' : 'POST',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: {
        'user-agent': `memory-service/${version}`,
        'accept-encoding': 'gzip, deflate, br',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    return { url, status: reply.statusCode, headers: reply.headers, ...(await readAll(reply, request)) }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof ApiFault) throw error
    const why = deadline.aborted ? `did not answer within ${deadlineMs / 1000} s` : reasonOf(error)
    throw new ApiFault('unreachable', `${url.origin} can't be reached: ${why}`, { cause: error })
  }
}

/**
 * The reply as JSON, a long one in slices.
 * @throws ApiFault `unreachable` for what is none: the page of a proxy, or half a reply
 */
export async function jsonOf({ url, bytes }: Pick<Exchanged, 'url' | 'bytes'>): Promise<unknown> {
  try {
    return await jsonInSlices(bytes)
  } catch {
    throw new ApiFault('unreachable', `${placeOf(url)} answered something that is not JSON`)
  }
}

/** An address as messages name it: without its query. */
export function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

/** A server's own words as a part of a message: on one line, and without the token, which it may repeat. */
export function toldWithout(token: string | undefined, words: string): string {
  const line = unscannedLine(words, 200)
  return token === undefined ? line : line.replaceAll(token, '[token]')
}

async function readAll(
  { headers, body }: Dispatcher.ResponseData,
  { url, maxBytes, beyond = 'fault' }: ExchangeRequest,
): Promise<Pick<Exchanged, 'bytes' | 'isCut'>> {
  const decode = decoderFor(headers['content-encoding'])
  if (!decode) {
    await body.dump()
    throw new ApiFault(
      'unreachable',
      `${placeOf(url)} answered in an encoding that is none of gzip, deflate and br`,
    )
  }
  const read = await readBeginning(decode(body), maxBytes)
  if (read.isCut && beyond === 'fault')
    throw new ApiFault('too_large', `${placeOf(url)} answered more than ${maxBytes} bytes`)
  return read
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return unscannedLine(code || message || 'no reason given', 200)
}
