import type { Dispatcher, RequestInit, Response } from 'undici'
import { addressBelow } from '../../lib/network/address-below.js'
import { decoderFor, readAtMost } from '../../lib/network/decode-body.js'
import { ProviderError, TextRefused } from './provider.js'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Loaded with the first call, so an offline daemon never loads it. */
const undici = () => import('undici')

export const lazyFetch: Fetch = async (url, init) => (await undici()).fetch(url, init)

export interface RemoteProviderOptions {
  baseUrl?: string
  model: string
  /** Sent only when configured, as not every model can shorten its vectors. */
  dimensions?: number
  /**
   * Read for every call, so that a key set later works. @throws ProviderError when it is configured but not
   * set
   */
  readKey(): Promise<string | undefined>
}

export interface JsonCall {
  url: URL
  body: unknown
  /** Sent as a bearer token and removed from every error. */
  key?: string
  signal: AbortSignal
  timeoutMs?: number
  maxBytes?: number
}

const megabyte = 1_048_576

/**
 * Posts JSON and returns the parsed reply of a 2xx answer. Redirects are refused, because they would send
 * texts to an unconfigured server.
 * @throws ProviderError with a short reason: refused, timed out, an error status, too large (decompressed),
 * not JSON; TextRefused for 400, 413, 422
 */
export async function postJson(call: JsonCall): Promise<unknown> {
  const { timeoutMs = 30_000, maxBytes = 32 * megabyte } = call
  const place = `${call.url.origin}${call.url.pathname}`
  call.signal.throwIfAborted()
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  const timer = setTimeout(stop, timeoutMs)
  call.signal.addEventListener('abort', stop)
  try {
    const reply = await post(call, stopped.signal)
    const isError = reply.statusCode >= 300
    const decode = isError ? undefined : decoderFor(reply.headers['content-encoding'])
    const tooLarge = (): Error => new ProviderError(`the provider returned more than ${maxBytes} bytes`)
    const bytes = await readAtMost(decode ? decode(reply.body) : reply.body, maxBytes, tooLarge)
    if (isError) throw statusError(reply, place)
    if (!decode)
      throw new ProviderError('the provider used a content encoding other than gzip, deflate or br')
    return parseJson(bytes.toString('utf8'))
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason
    if (error instanceof ProviderError) throw error
    if (stopped.signal.aborted) throw new ProviderError(`${place} did not answer within ${timeoutMs} ms`)
    throw new ProviderError(`${place} can't be reached: ${withoutKey(reason(error), call.key)}`)
  } finally {
    clearTimeout(timer)
    call.signal.removeEventListener('abort', stop)
  }
}

/** Uses undici's request, which costs a third of its fetch, because every recall waits for one. */
async function post({ url, body, key }: JsonCall, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { request } = await undici()
  return request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'memory-service',
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    signal,
  })
}

/** @throws ProviderError when the configured address contains a password. */
export function endpointUrl(baseUrl: string, path: string): URL {
  const url = addressBelow(baseUrl, path)
  if (url) return url
  throw new ProviderError(
    'embedding.baseUrl must not contain a user name or password: use embedding.apiKey',
    {
      atOnce: true,
    },
  )
}

export function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(number => typeof number === 'number')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError('the provider did not return JSON')
  }
}

/** Omits the reply's text: servers quote the key or the texts in it, and many people read the message. */
function statusError(
  { statusCode: status, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  place: string,
): ProviderError {
  if (status < 400)
    return new ProviderError(
      `${place} can't be reached: it answered ${status}, and redirects are not followed`,
    )
  if (status === 401 || status === 403)
    return new ProviderError(`${place} refused the key (${status}): check embedding.apiKey`, { atOnce: true })
  if (status === 404)
    return new ProviderError(`${place} answered 404: check embedding.model and embedding.baseUrl`, {
      atOnce: true,
    })
  const message = `${place} answered ${status}`
  if ([400, 413, 422].includes(status)) return new TextRefused(message)
  const retryAfterMs = Number(headers['retry-after']) * 1000 || 0
  return new ProviderError(message, { atOnce: status === 429, retryAfterMs })
}

function withoutKey(text: string, key?: string): string {
  return key ? text.replaceAll(key, '[key]') : text
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const code = (cause as NodeJS.ErrnoException).code
  return cause.message || code || cause.name
}
