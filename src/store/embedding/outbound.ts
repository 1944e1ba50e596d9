import type { RequestInit, Response } from 'undici'
import { ProviderError, TextRefused } from './provider.js'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** undici's fetch, loaded with the first call: an offline daemon never pays for it. */
export const lazyFetch: Fetch = async (url, init) => (await import('undici')).fetch(url, init)

export interface RemoteProviderOptions {
  fetch: Fetch
  baseUrl?: string
  model: string
  /** Sent only when the settings ask for it: not every model can shorten its vectors. */
  dimensions?: number
  /** Read for every call, so that a key set later works. @throws ProviderError when it is configured but not set */
  readKey(): string | undefined
}

export interface JsonCall {
  fetch: Fetch
  url: URL
  body: unknown
  /** Sent as a bearer token and kept out of every error. */
  key?: string
  signal: AbortSignal
  timeoutMs?: number
  maxBytes?: number
}

const megabyte = 1_048_576

/**
 * Posts JSON and returns the parsed reply of a 2xx answer. No redirects: they would carry texts somewhere nobody configured.
 * @throws ProviderError with a short reason: refused, timed out, an error status, too large, not JSON; TextRefused for 400, 413, 422
 */
export async function postJson(call: JsonCall): Promise<unknown> {
  const { timeoutMs = 30_000, maxBytes = 32 * megabyte } = call
  const place = `${call.url.origin}${call.url.pathname}`
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await call.fetch(call.url.href, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(call.key && { authorization: `Bearer ${call.key}` }),
      },
      body: JSON.stringify(call.body),
      signal: AbortSignal.any([call.signal, timeout]),
    })
    const text = await readText(response, maxBytes)
    if (!response.ok) throw statusError(response, place)
    return parseJson(text)
  } catch (error) {
    if (call.signal.aborted || error instanceof ProviderError) throw error
    if (timeout.aborted) throw new ProviderError(`${place} did not answer within ${timeoutMs} ms`)
    throw new ProviderError(`${place} can't be reached: ${withoutKey(reason(error), call.key)}`)
  }
}

/** @param baseUrl configured address; a query string (an API version) stays. @throws ProviderError when it holds a password. */
export function endpointUrl(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl)
  if (url.username || url.password) {
    throw new ProviderError('embedding.baseUrl must not hold a user name or password: use embedding.apiKey', {
      atOnce: true,
    })
  }
  const base = url.pathname.replace(/\/+$/, '')
  if (!base.endsWith(path)) url.pathname = base + path
  return url
}

export function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(number => typeof number === 'number')
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new ProviderError(`the provider answered more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError('the provider answered something that is not JSON')
  }
}

/** The reply's text is left out: servers quote the key or the texts in it, and the message has many readers. */
function statusError({ status, headers }: Response, place: string): ProviderError {
  if (status === 401 || status === 403)
    return new ProviderError(`${place} refused the key (${status}): check embedding.apiKey`, { atOnce: true })
  if (status === 404)
    return new ProviderError(`${place} answered 404: check embedding.model and embedding.baseUrl`, {
      atOnce: true,
    })
  const message = `${place} answered ${status}`
  if ([400, 413, 422].includes(status)) return new TextRefused(message)
  const retryAfterMs = Number(headers.get('retry-after')) * 1000 || 0
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
