import { wireError } from '../../../../../contract/knowledge/discord-wire.js'
import { ApiFault, type ApiFaultKind } from '../../../../ground/fetch/api-fault.js'
import type { Wait } from '../../../../ground/fetch/api-wait.js'
import {
  type Exchanged,
  exchange,
  jsonOf,
  openConnection,
  placeOf,
  toldWithout,
} from '../../../../ground/fetch/exchange.js'
import { withRetries } from '../../../../ground/fetch/with-retries.js'
import { RateLimits, routeOf } from './rate-limits.js'

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
