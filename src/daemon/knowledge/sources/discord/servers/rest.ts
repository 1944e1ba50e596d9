import { wireError, wireLimited } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { ApiFault, type ApiFaultKind, type Wait, withRetries } from '../../../../ground/fetch/api-faults.js'
import {
  type ExchangeReply,
  exchange,
  jsonOf,
  openConnection,
  redactedMessage,
  urlWithoutQuery,
} from '../../../../ground/fetch/exchange.js'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Requests that the server counts together. */
interface Bucket {
  remaining: number
  /** Refill time in milliseconds of the local clock. */
  fullAt: number
}

/**
 * Discord's rate limits as learned from replies: one bucket per route and channel or server, and one global
 * limit. Only relative times are used, because clocks differ.
 */
class RateLimits {
  /** Bucket of each route, once a reply named it. */
  readonly #bucketOf = new Map<string, string>()
  readonly #buckets = new Map<string, Bucket>()
  #allFreeAt = 0

  constructor(readonly now: () => number) {}

  /** Returns the delay before the next request of a route; 0 for none. */
  waitMs(route: string): number {
    const bucket = this.#buckets.get(this.#bucketOf.get(route) ?? '')
    const bucketFreeAt = bucket && bucket.remaining <= 0 ? bucket.fullAt : 0
    return Math.max(0, this.#allFreeAt - this.now(), bucketFreeAt - this.now())
  }

  /** Learns from the headers of any reply. */
  note(route: string, headers: Headers): void {
    const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
    const resetAfter = Number(headers['x-ratelimit-reset-after'] ?? Number.NaN)
    if (Number.isNaN(remaining) || Number.isNaN(resetAfter)) return
    const name = `${headers['x-ratelimit-bucket'] ?? ''} ${majorOf(route)}`
    this.#bucketOf.set(route, name)
    this.#buckets.set(name, { remaining, fullAt: this.now() + resetAfter * 1000 })
  }

  /**
   * Learns from a refusal (429), for the route or globally.
   * @param body as JSON; a body written by a proxy is invalid and counts for all routes
   * @returns the delay that the server demands
   */
  limited(route: string, headers: Headers, body: unknown): number {
    const told = wireLimited.safeParse(body)
    const seconds = told.success ? told.data.retry_after : Number(headers['retry-after'] ?? 60)
    const ms = Math.max(0, (Number.isFinite(seconds) ? seconds : 60) * 1000)
    const isGlobal = !told.success || told.data.global || headers['x-ratelimit-global'] === 'true'
    if (isGlobal) this.#allFreeAt = this.now() + ms
    else {
      const name = this.#bucketOf.get(route) ?? ` ${route}`
      this.#bucketOf.set(route, name)
      this.#buckets.set(name, { remaining: 0, fullAt: this.now() + ms })
    }
    return ms
  }
}

export const publicApi = 'https://discord.com/api/v10'
/** Discord's hosts for attachments. */
const attachmentHosts = new Set(['cdn.discordapp.com', 'media.discordapp.net'])

/** For longer delays the pass is paused and continues later. */
const longestWaitMs = 120_000
/** Refusals (429) of one request in a row, with the demanded delays in between. */
const mostRefusals = 8
/** JSON limit of one reply; a hundred of the largest messages are smaller. */
const maxJsonBytes = 16 * 1024 * 1024

export interface RestOptions {
  /** Origin and path that routes are appended to. */
  baseUrl: string
  token: string
  signal: AbortSignal
  wait: Wait
  /** Milliseconds of any local clock. */
  now(): number
}

/** Sends a bot's requests to Discord one at a time, within its rate limits. */
export interface Rest {
  /**
   * Returns the JSON of a reply.
   * @param path below the address of the API, with its leading slash
   * @throws ApiFault; the signal's reason once that is aborted
   */
  get(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<unknown>
  /**
   * Returns the beginning of an attachment; requested without the token.
   * @throws ApiFault `refused` for an address outside of Discord, otherwise the same as `get`
   */
  file(address: string, maxBytes: number): Promise<Pick<ExchangeReply, 'bytes' | 'isCut'>>
  close(): Promise<void>
}

const kinds: Readonly<Record<number, ApiFaultKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
}

export function createRest(options: RestOptions): Rest {
  const limits = new RateLimits(options.now)
  const connections = new Map<string, ReturnType<typeof openConnection>>()
  const ask: SendRequest = async (url, headers, size) => {
    const agent = connections.get(url.origin) ?? openConnection()
    connections.set(url.origin, agent)
    return exchange(await agent, { url, headers, signal: options.signal, ...size })
  }
  return {
    get: (path, query = {}) => {
      const url = apiUrl(options.baseUrl, path)
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value))
      return withRetries(() => askWithin(limits, ask, options, { url, path }), options)
    },
    file: (address, maxBytes) => {
      const url = attachmentUrl(options.baseUrl, address)
      return withRetries(async () => {
        const reply = await ask(url, {}, { maxBytes, beyond: 'cut' })
        if (reply.status !== 200) throw refusalOf(reply, options.token)
        return reply
      }, options)
    },
    close: async () => {
      for (const agent of connections.values()) await (await agent).destroy()
      connections.clear()
    },
  }
}

type SendRequest = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  size: { maxBytes: number; beyond?: 'cut' },
) => Promise<ExchangeReply>

/** Appends to the base's path, because a proxy may have one. */
function apiUrl(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/u, '')}${path}`
  return url
}

/** Replies name the addresses of attachments: fetch nothing from other hosts. */
function attachmentUrl(base: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isTheirs = url?.protocol === 'https:' && attachmentHosts.has(url.hostname)
  if (url && (isTheirs || (base !== publicApi && url.origin === new URL(base).origin))) return url
  throw new ApiFault('refused', 'the address of the attachment is not on a Discord host')
}

/** Waits for its turn, and again after each 429. */
async function askWithin(
  limits: RateLimits,
  ask: SendRequest,
  { signal, wait, token }: RestOptions,
  { url, path }: { url: URL; path: string },
): Promise<unknown> {
  const route = routeOf(path)
  for (let refusals = 0; ; refusals++) {
    const ms = limits.waitMs(route)
    if (ms > longestWaitMs || refusals > mostRefusals)
      throw new ApiFault('limited', `Discord accepts no requests for ${Math.ceil(ms / 1000)} s`, {
        status: 429,
        retryAfterMs: ms,
      })
    if (ms > 0) await wait(ms, signal)
    const reply = await ask(url, { authorization: `Bot ${token}` }, { maxBytes: maxJsonBytes })
    limits.note(route, reply.headers)
    if (reply.status >= 200 && reply.status < 300) return jsonOf(reply)
    if (reply.status !== 429) throw refusalOf(reply, token)
    limits.limited(route, reply.headers, bodyOf(reply))
  }
}

function refusalOf(reply: ExchangeReply, token: string): ApiFault {
  const { status, url } = reply
  const place = urlWithoutQuery(url)
  if (status >= 500) return new ApiFault('unreachable', `${place} answered ${status}`, { status })
  const { code, message } = wireError.catch({}).parse(bodyOf(reply))
  const said = message ? `: ${redactedMessage(token, message)}` : ''
  return new ApiFault(kinds[status] ?? 'refused', `${place} answered ${status}${said}`, {
    status,
    ...(typeof code === 'number' && { code }),
  })
}

/** Parses the JSON of a refusal; undefined if a proxy answered. */
function bodyOf({ bytes }: ExchangeReply): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/**
 * Returns a path as the rate limit counts it: only ids of channels, servers and webhooks distinguish routes.
 */
function routeOf(path: string): string {
  return path.replace(/(?<=\/)\d{15,}/gu, (id, at: number) =>
    /\/(?:channels|guilds|webhooks)\/$/u.test(path.slice(0, at)) ? id : ':id',
  )
}

/** Buckets of the same name are counted separately for each channel and server. */
function majorOf(route: string): string {
  return /^\/(?:channels|guilds|webhooks)\/\d+/u.exec(route)?.[0] ?? ''
}
