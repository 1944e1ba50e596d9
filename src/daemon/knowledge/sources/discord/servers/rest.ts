import { wireError, wireLimited } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { ApiFault, type ApiFaultKind } from '../../../../ground/fetch/api-fault.js'
import {
  type Exchanged,
  exchange,
  jsonOf,
  openConnection,
  placeOf,
  toldWithout,
} from '../../../../ground/fetch/exchange.js'
import { type Wait, withRetries } from '../../../../ground/fetch/with-retries.js'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A bucket of requests that the server counts together. */
interface Bucket {
  remaining: number
  /** When it is full again, in milliseconds of our own clock. */
  fullAt: number
}

/**
 * What Discord allows, learned of its replies: a bucket for each route and channel or server, and one limit of all
 * requests. Times are taken as "in so many seconds", never as an hour of theirs: clocks differ.
 */
class RateLimits {
  /** Which bucket a route is counted in, once it answered. */
  readonly #bucketOf = new Map<string, string>()
  readonly #buckets = new Map<string, Bucket>()
  #allFreeAt = 0

  constructor(readonly now: () => number) {}

  /** How long to wait before the next request of a route; 0 for not at all. */
  waitMs(route: string): number {
    const bucket = this.#buckets.get(this.#bucketOf.get(route) ?? '')
    const bucketFreeAt = bucket && bucket.remaining <= 0 ? bucket.fullAt : 0
    return Math.max(0, this.#allFreeAt - this.now(), bucketFreeAt - this.now())
  }

  /** Learns of the headers of any reply. */
  note(route: string, headers: Headers): void {
    const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN)
    const resetAfter = Number(headers['x-ratelimit-reset-after'] ?? Number.NaN)
    if (Number.isNaN(remaining) || Number.isNaN(resetAfter)) return
    const name = `${headers['x-ratelimit-bucket'] ?? ''} ${majorOf(route)}`
    this.#bucketOf.set(route, name)
    this.#buckets.set(name, { remaining, fullAt: this.now() + resetAfter * 1000 })
  }

  /**
   * Learns of a refusal (429): the route waits, or everything.
   * @param body as JSON; one that a proxy wrote is none, and speaks for all routes
   * @returns how long the server wants us to wait
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
/** Where Discord keeps attachments. */
const attachmentHosts = new Set(['cdn.discordapp.com', 'media.discordapp.net'])

/** Longer waits end the pass: it is paused and goes on later. */
const longestWaitMs = 120_000
/** Refusals (429) of one request in a row, with the waits that they ask for between them. */
const mostRefusals = 8
/** JSON of one reply; a hundred messages of the largest kind are less. */
const maxJsonBytes = 16 * 1024 * 1024

export interface RestOptions {
  /** Origin and path that routes are added to. */
  baseUrl: string
  token: string
  signal: AbortSignal
  wait: Wait
  /** Milliseconds of any clock of ours. */
  now(): number
}

/** Asks Discord one thing at a time, within its limits, with a bot's token. */
export interface Rest {
  /**
   * The JSON of a reply.
   * @param path below the address of the API, with its leading slash
   * @throws ApiFault; the signal's reason once that is aborted
   */
  get(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<unknown>
  /**
   * The beginning of an attachment, without our token. @throws ApiFault `refused` for an address that is none of
   * Discord's, and as `get`
   */
  file(address: string, maxBytes: number): Promise<Pick<Exchanged, 'bytes' | 'isCut'>>
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
  const ask: Ask = async (url, headers, size) => {
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

type Ask = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  size: { maxBytes: number; beyond?: 'cut' },
) => Promise<Exchanged>

/** Appends to the path of the base: that of a proxy stays. */
function apiUrl(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/u, '')}${path}`
  return url
}

/** A reply names where its attachments are: we fetch nothing from anywhere else. */
function attachmentUrl(base: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isTheirs = url?.protocol === 'https:' && attachmentHosts.has(url.hostname)
  if (url && (isTheirs || (base !== publicApi && url.origin === new URL(base).origin))) return url
  throw new ApiFault('refused', 'the attachment lies at an address that is none of Discord')
}

/** Waits for its turn, and again as often as Discord says that it was too early. */
async function askWithin(
  limits: RateLimits,
  ask: Ask,
  { signal, wait, token }: RestOptions,
  { url, path }: { url: URL; path: string },
): Promise<unknown> {
  const route = routeOf(path)
  for (let refusals = 0; ; refusals++) {
    const ms = limits.waitMs(route)
    if (ms > longestWaitMs || refusals > mostRefusals)
      throw new ApiFault('limited', `Discord takes no requests of ours for ${Math.ceil(ms / 1000)} s`, {
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

function refusalOf(reply: Exchanged, token: string): ApiFault {
  const { status, url } = reply
  const place = placeOf(url)
  if (status >= 500) return new ApiFault('unreachable', `${place} answered ${status}`, { status })
  const { code, message } = wireError.catch({}).parse(bodyOf(reply))
  const said = message ? `: ${toldWithout(token, message)}` : ''
  return new ApiFault(kinds[status] ?? 'refused', `${place} answered ${status}${said}`, {
    status,
    ...(typeof code === 'number' && { code }),
  })
}

/** The JSON of a refusal; undefined where a proxy answered. */
function bodyOf({ bytes }: Exchanged): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** A path as its limit sees it: numbers that are no channel, server or webhook do not make another route. */
function routeOf(path: string): string {
  return path.replace(/(?<=\/)\d{15,}/gu, (id, at: number) =>
    /\/(?:channels|guilds|webhooks)\/$/u.test(path.slice(0, at)) ? id : ':id',
  )
}

/** Buckets of one name count apart for each channel and each server. */
function majorOf(route: string): string {
  return /^\/(?:channels|guilds|webhooks)\/\d+/u.exec(route)?.[0] ?? ''
}
