import { sourceKind } from '../../../../contract/ground/wire-names.js'
import { ApiFault, type ApiFaultKind } from '../../../ground/fetch/api-faults.js'
import {
  type ExchangeReply,
  exchange,
  jsonOf,
  openConnection,
  redactedMessage,
  urlWithoutQuery,
} from '../../../ground/fetch/exchange.js'
import { apiRoot } from '../core/kind.js'
import { GithubFault } from './github-fault.js'

/** The addresses of a GitHub installation. */
interface ApiAddress {
  /** Base of the REST API, ends with `/`. */
  rest: URL
  graphql: URL
}

interface Refusal extends Pick<ExchangeReply, 'status' | 'url' | 'headers'> {
  /** GitHub's message, on one line and without the token. */
  message: string
  hasToken: boolean
}

const kinds: Readonly<Record<number, ApiFaultKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
  410: 'missing',
}

const withToken = 'use a token: memory sources add github OWNER/REPO --token-ref NAME'

const lookAtName = 'check the name'

const privateRepo = `a private repository needs a token: memory sources add github OWNER/REPO --token-ref NAME`

/** JSON limit of one reply: parsing more would block the event loop. */
const maxJsonBytes = 8 * 1024 * 1024
const maxRedirects = 3

export interface Reply {
  status: number
  url: URL
  headers: ExchangeReply['headers']
  /** Parsed JSON, or the bytes of a raw file; undefined for 304. */
  body: unknown
  /** The server's clock at the time of the reply, in milliseconds. */
  at: number
}

export interface GetOptions {
  /** The reply is 304 if it would equal the one with this tag. */
  etag?: string
  /** Requests raw bytes, at most this many. */
  rawBytes?: number
}

/** Talks to one GitHub installation with one token or none. Callers send one request at a time. */
export interface GithubClient {
  address: ApiAddress
  /**
   * @throws ApiFault for every reply that is neither 2xx nor 304; `limited` carries the delay. The signal's
   * reason
   */
  get(url: URL, options?: GetOptions): Promise<Reply>
  /**
   * Runs a GraphQL query. Errors other than rate limits are returned in the reply.
   * @throws the same as `get`
   */
  query(text: string, variables: Readonly<Record<string, unknown>>): Promise<Reply>
  close(): Promise<void>
}

export interface ClientOptions {
  address: ApiAddress
  token: string | undefined
  signal: AbortSignal
  /** Milliseconds since the epoch on the local clock. */
  now(): number
}

interface SendOptions {
  body?: string
  headers?: Readonly<Record<string, string>>
  maxBytes?: number
}

/** The parts of a reply that describe limits; header names in lower case. */
export interface LimitReply {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** GitHub's error message, if any. */
  message: string
  /** GraphQL reports limits in successful replies. */
  isLimited?: boolean
}

interface Limit {
  /** Delay that GitHub asks for. */
  waitMs: number
  /** `primary` is the hourly budget, `secondary` any other limit. */
  limit: 'primary' | 'secondary'
}

/** GitHub's guide recommends this delay if the reply names none. */
const unnamedMs = 60_000
/** Budgets are hourly; a longer delay comes from inconsistent clocks. */
const longestMs = 3_660_000
const secondary = /secondary rate limit|abuse detection|wait a few minutes/iu

export function createClient(options: ClientOptions): GithubClient {
  const { address, token, now } = options
  const sender = createSender(options)
  const assertUsable = (reply: ExchangeReply): void => {
    const message = messageOf(reply)
    const limit = limitOf({ ...reply, message }, now())
    if (limit) throw limitFault(limit)
    if (reply.status < 300 || reply.status === 304) return
    throw refusalOf({ ...reply, message: redactedMessage(token, message), hasToken: token !== undefined })
  }
  return {
    address,
    get: async (url, { etag, rawBytes } = {}) => {
      const headers = {
        ...(rawBytes !== undefined && { accept: 'application/vnd.github.raw+json' }),
        ...(etag !== undefined && { 'if-none-match': etag }),
      }
      const maxBytes = rawBytes ?? maxJsonBytes
      let reply = await sender.send('rest', url, { headers, maxBytes })
      for (let redirects = 0; isRedirect(reply); redirects++) {
        if (redirects === maxRedirects)
          throw new GithubFault(
            'refused',
            `${urlWithoutQuery(url)} redirects more than ${maxRedirects} times`,
          )
        reply = await sender.send('rest', redirectTarget(reply), { headers, maxBytes })
      }
      assertUsable(reply)
      if (reply.status === 304) return { ...reply, body: undefined, at: serverTime(reply, now()) }
      const body = rawBytes === undefined ? await jsonOf(reply) : reply.bytes
      return { ...reply, body, at: serverTime(reply, now()) }
    },
    query: async (query, variables) => {
      const body = JSON.stringify({ query, variables })
      const reply = await sender.send('graphql', address.graphql, { body })
      assertUsable(reply)
      const parsed = await jsonOf(reply)
      const limit = limitOf({ ...reply, ...limitIn(parsed) }, now())
      if (limit) throw limitFault(limit)
      return { ...reply, body: parsed, at: serverTime(reply, now()) }
    },
    close: sender.close,
  }
}

/** Sends requests, but none while the rate limit is used up, because each attempt would prolong the wait. */
function createSender({ token, signal, now }: ClientOptions) {
  const connection: { agent?: ReturnType<typeof openConnection> } = {}
  const spentUntil = { rest: 0, graphql: 0 }
  const send = async (
    budget: keyof typeof spentUntil,
    url: URL,
    { body, headers, maxBytes = maxJsonBytes }: SendOptions,
  ): Promise<ExchangeReply> => {
    const waitMs = spentUntil[budget] - now()
    if (waitMs > 0) throw limitFault({ waitMs, limit: 'primary' })
    connection.agent ??= openConnection()
    const reply = await exchange(await connection.agent, {
      url,
      signal,
      maxBytes,
      ...(body !== undefined && { body }),
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    spentUntil[budget] = now() + budgetDelay(reply, now())
    return reply
  }
  return { send, close: async () => (await connection.agent)?.destroy() }
}

function limitFault({ waitMs, limit }: Limit): ApiFault {
  const message = `GitHub accepts no requests for ${Math.ceil(waitMs / 1000)} s (${limit} rate limit)`
  return new ApiFault('limited', message, { retryAfterMs: waitMs, code: limit })
}

function isRedirect({ status, headers }: ExchangeReply): boolean {
  return [301, 302, 307, 308].includes(status) && headers.location !== undefined
}

/**
 * Returns the address of a renamed repository. The token is never sent to another origin.
 * @throws GithubFault
 */
function redirectTarget({ url, headers }: ExchangeReply): URL {
  const location = String(headers.location)
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined
  if (target?.origin === url.origin) return target
  throw new GithubFault(
    'refused',
    `${urlWithoutQuery(url)} redirects to another origin, which is not followed`,
  )
}

/** GraphQL reports rate limits as errors with status 200. */
function limitIn(body: unknown): { message: string; isLimited: boolean } {
  const { errors } = (body ?? {}) as { errors?: unknown }
  const list: { type?: unknown; message?: unknown }[] = Array.isArray(errors) ? errors : []
  const found = list.find(
    error => error?.type === 'RATE_LIMITED' || /rate limit/iu.test(String(error?.message)),
  )
  return { message: String(found?.message ?? ''), isLimited: found !== undefined }
}

function messageOf({ status, bytes }: ExchangeReply): string {
  if (status < 400 || bytes.length > 65_536) return ''
  try {
    const { message } = JSON.parse(bytes.toString('utf8')) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

/** Explains an error status and gives advice. */
function refusalOf(refusal: Refusal): GithubFault {
  const { status, url, message } = refusal
  const said = message === '' ? '' : ` (${message})`
  const kind = status >= 500 ? 'unreachable' : (kinds[status] ?? 'refused')
  const guidance = guidanceOf(refusal)
  return new GithubFault(kind, `${urlWithoutQuery(url)} answered ${status}${said}`, {
    status,
    ...(guidance && { guidance }),
  })
}

function guidanceOf({ status, headers, hasToken }: Refusal): string | undefined {
  if (status === 401)
    return 'the token is wrong, expired or revoked: create a new one and store it with memory secrets set'
  if (status === 403 && headers['x-github-sso'] !== undefined)
    return 'the organisation requires the token to be authorised for single sign-on: open its settings on GitHub'
  if (status === 403)
    return hasToken
      ? 'give the token read access to issues, pull requests, contents and discussions of this repository'
      : withToken
  if (status === 404)
    return hasToken
      ? `${lookAtName}; the token needs read access to this repository`
      : `${lookAtName}; ${privateRepo}`
  return undefined
}

/**
 * Derives the API addresses from `sources.coderepo.apiBaseUrl`. An enterprise server has REST below `/api/v3`
 * and GraphQL next to it; elsewhere GraphQL is below REST.
 * @throws SourceFailure if the address contains a password, or if a token would be sent to it unencrypted
 */
export function apiAddress(baseUrl: string, { hasToken }: { hasToken: boolean }): ApiAddress {
  const rest = apiRoot(baseUrl, { setting: `sources.${sourceKind.github}.apiBaseUrl`, hasToken })
  const path = rest.pathname.replace(/(?<!\/)\/+$/u, '')
  const at = (pathname: string): URL => new URL(pathname, rest.origin)
  const isEnterprise = path.endsWith('/api/v3')
  return {
    rest: at(`${path}/`),
    graphql: at(isEnterprise ? path.replace(/v3$/u, 'graphql') : `${path}/graphql`),
  }
}

/**
 * Returns the delay that a reply asks for: `retry-after`, then `x-ratelimit-reset`, then a minute.
 * @returns undefined if the reply is not a limit; a plain 403 is a missing permission
 */
function limitOf(reply: LimitReply, now: number): Limit | undefined {
  const { status, headers, message } = reply
  const isSpent = headers['x-ratelimit-remaining'] === '0'
  const isSecondary = secondary.test(message)
  const isRefused = status === 403 && (isSpent || isSecondary || headers['retry-after'] !== undefined)
  if (status !== 429 && !isRefused && !reply.isLimited) return undefined
  const limit = isSpent && !isSecondary ? 'primary' : 'secondary'
  const waitMs = retryAfterMs(reply, now) ?? (isSpent ? resetMs(reply, now) : undefined) ?? unnamedMs
  return { waitMs: clamped(waitMs), limit }
}

/**
 * Returns the delay after a reply that used up its budget; 0 while there is budget left, or if the reply
 * names a delay itself.
 */
function budgetDelay({ headers }: Pick<LimitReply, 'headers'>, now: number): number {
  const isSpent = headers['x-ratelimit-remaining'] === '0' && headers['retry-after'] === undefined
  const waitMs = isSpent ? resetMs({ headers }, now) : undefined
  return waitMs === undefined ? 0 : clamped(waitMs)
}

/** Returns the server's clock at the time of the reply; the local clock if the reply has no date. */
function serverTime({ headers }: Pick<LimitReply, 'headers'>, now: number): number {
  const date = Date.parse(String(headers.date ?? ''))
  return Number.isNaN(date) ? now : date
}

function retryAfterMs({ headers }: LimitReply, now: number): number | undefined {
  const text = String(headers['retry-after'] ?? '').trim()
  if (/^\d+$/u.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date - serverTime({ headers }, now)
}

/** Uses the server's clock, so that an incorrect local clock does not matter. */
function resetMs({ headers }: Pick<LimitReply, 'headers'>, now: number): number | undefined {
  const seconds = Number(headers['x-ratelimit-reset'])
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined
  // Both times are whole seconds, so add one to be safe.
  return seconds * 1000 - serverTime({ headers }, now) + 1000
}

function clamped(ms: number): number {
  return Math.min(Math.max(ms, 1000), longestMs)
}
