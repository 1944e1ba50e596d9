import type { Api } from './api.js'
import { ConnectionError, errorOf, type ServiceError } from './errors.js'

/** Where the service is, and headers that prove who asks. */
export interface Place {
  url: string
  headers: Record<string, string>
}

export interface MemoryOptions {
  /** Address of the service. If absent, the daemon of this machine is found by its registration. */
  url?: string
  /** API key (`memory api-key create`). */
  key?: string
  /** Folder of the workspace whose daemon is found; the default one if absent. */
  workspace?: string
  /** Agent under whose name memories are saved and read. */
  agent?: string
  /** Time limit of a request in milliseconds, retries not included; 60,000 if absent. */
  timeoutMs?: number
  /** Further attempts after a failure that a retry may mend; 3 if absent. */
  retries?: number
  /** Another implementation of fetch. */
  fetch?: typeof fetch
}

export type Address = keyof Api
export type Reply<A extends Address> = Api[A]['reply']
/** Fields of the request: `params` of its address, `query` and `body`. */
export type Input<A extends Address> = Omit<Api[A], 'reply' | 'headers'>

export interface CallOptions {
  signal?: AbortSignal
  /** True if the service may process the request twice without harm; GET always may. */
  repeats?: boolean
  /** No time limit after the first byte of the reply. */
  stream?: boolean
}

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** Codes with which the service refuses a request before it processes it, and which pass. */
const passing = new Set(['starting', 'overloaded', 'rate_limited'])
/** Causes by which Node and Bun say that nothing was sent. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused'])
const firstPauseMs = 200
const longestPauseMs = 10_000

/** Sends requests: finds the service, adds identity, repeats what may be repeated, and throws typed errors. */
export class Connection {
  #place: Promise<Place> | undefined

  constructor(private readonly options: MemoryOptions) {}

  /** @throws ServiceError, or the reason of the signal. */
  async send(address: Address, input: AnyInput = {}, call: CallOptions = {}): Promise<Response> {
    const { retries = 3 } = this.options
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(address, input, call)
      if (outcome instanceof Response) return outcome
      const { error, retryAfterMs } = outcome
      if (attempt >= retries || !mayRepeat(error, address, call)) throw error
      await pause(retryAfterMs ?? backoff(attempt), call.signal)
    }
  }

  async #attempt(
    address: Address,
    input: AnyInput,
    { signal, stream }: CallOptions,
  ): Promise<Response | { error: ServiceError; retryAfterMs?: number }> {
    const { timeoutMs = 60_000, fetch: send = fetch } = this.options
    const place = await this.#find()
    const [method = '', path = ''] = address.split(' ')
    const limit = timeLimit(timeoutMs, signal)
    try {
      const response = await send(new URL(addressOf(path, input), place.url), {
        method,
        headers: this.#headers(place, input.body),
        signal: limit.signal,
        ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      })
      if (response.ok && stream) return response
      if (response.ok) return new Response(await response.arrayBuffer(), response)
      return { error: await errorOf(response), ...retryAfter(response) }
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      this.#place = undefined
      return { error: connectionError(cause, place.url, { timeoutMs, isLate: limit.signal.aborted }) }
    } finally {
      limit.end()
    }
  }

  /** A daemon that was restarted has another port, so that it is found again after a failure. */
  #find(): Promise<Place> {
    this.#place ??= this.#locate()
    this.#place.catch(() => {
      this.#place = undefined
    })
    return this.#place
  }

  async #locate(): Promise<Place> {
    const { url, workspace } = this.options
    if (url) return { url, headers: {} }
    const { findDaemon } = await import('./local.js')
    return findDaemon(workspace)
  }

  #headers(place: Place, body: unknown): Record<string, string> {
    const { key, agent } = this.options
    return {
      ...place.headers,
      ...(key && { authorization: `Bearer ${key}` }),
      ...(agent && { 'x-service-agent-id': agent }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
  }
}

function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(one => one !== undefined && one !== null)
      .map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length > 0 ? `${filled}?${new URLSearchParams(pairs)}` : filled
}

/** A timer that ends with the head of the reply, or with its body where that is read at once. */
function timeLimit(ms: number, outer?: AbortSignal): { signal: AbortSignal; end(): void } {
  const own = new AbortController()
  const timer = setTimeout(() => own.abort(), ms)
  const signal = outer ? AbortSignal.any([own.signal, outer]) : own.signal
  return { signal, end: () => clearTimeout(timer) }
}

function connectionError(
  cause: unknown,
  url: string,
  { timeoutMs, isLate }: { timeoutMs: number; isLate: boolean },
): ServiceError {
  if (isLate)
    return new ConnectionError(`no reply from ${url} within ${timeoutMs / 1000} s`, {
      code: 'timeout',
      cause,
    })
  const reason = (cause as { cause?: { code?: string } }).cause?.code ?? (cause as { code?: string }).code
  return new ConnectionError(`cannot reach ${url}${reason ? ` (${reason})` : ''}`, {
    code: 'connection_failed',
    cause,
    ...(reason && { details: { reason } }),
  })
}

function mayRepeat(error: ServiceError, address: Address, { repeats }: CallOptions): boolean {
  if (passing.has(error.code)) return true
  const reason = (error.details as { reason?: string } | undefined)?.reason
  if (error instanceof ConnectionError && neverSent.has(reason ?? '')) return true
  const isLost = error instanceof ConnectionError || [502, 504].includes(error.status)
  return isLost && (repeats === true || address.startsWith('GET '))
}

function retryAfter({ headers }: Response): { retryAfterMs?: number } {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? { retryAfterMs: Math.min(seconds * 1000, longestPauseMs) } : {}
}

/** Doubles with each attempt; the random part keeps callers from returning together. */
function backoff(attempt: number): number {
  return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + Math.random() / 2)
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
