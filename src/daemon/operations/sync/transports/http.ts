import type { Agent } from 'undici'
import { unscannedLine } from '../../../../lib/text/one-line.js'
import { ApiFault } from '../../../ground/fetch/api-faults.js'
import {
  type ExchangeReply,
  type ExchangeRequest,
  exchange,
  openConnection,
  urlWithoutQuery,
} from '../../../ground/fetch/exchange.js'
import { mostSegmentBytes } from '../files/segment.js'
import { TransportFault } from './transport.js'

export interface HttpCall extends Pick<ExchangeRequest, 'url' | 'method' | 'body' | 'deadlineMs'> {
  headers?: Readonly<Record<string, string>>
  /** Statuses from 300 on that the caller understands; all others are thrown. */
  expected?: readonly number[]
  /** Limit for the reply; that of a segment by default. */
  maxBytes?: number
}

/** Requests to one server, on a few connections that stay open. */
export interface HttpPlace {
  /** @throws TransportFault; redirects are not followed, since credentials would go elsewhere */
  send(call: HttpCall): Promise<ExchangeReply>
  close(): Promise<void>
}

export interface HttpPlaceOptions {
  /** For messages. */
  place: string
  signal: AbortSignal
  /** Says what to do about refused credentials. */
  advice: string
  /** Reads the server's own reason. @returns undefined where its status says enough */
  explain?(reply: ExchangeReply): Promise<TransportFault | string | undefined>
  now?: () => number
}

/** Requests to one server at the same time. */
export const connections = 4
/** A segment at 140 KB a second. */
const usualDeadlineMs = 120_000

/** Opens no connection before the first request. */
export function httpPlace(options: HttpPlaceOptions): HttpPlace {
  const { place, signal, explain = async () => undefined } = options
  let opened: Promise<Agent> | undefined
  return {
    send: async ({ expected = [], maxBytes = mostSegmentBytes, headers = {}, ...call }) => {
      opened ??= openConnection({ connections })
      const reply = await answered(
        exchange(await opened, {
          ...{ deadlineMs: usualDeadlineMs, ...call, headers, maxBytes, signal },
        }),
      )
      if (expected.includes(reply.status)) return reply
      if (isPage(reply, call.method))
        throw new TransportFault(
          `${place} answered with a web page (${reply.status}): the login of a network, a proxy, or a wrong address`,
          { kind: reply.status >= 500 ? 'unreachable' : 'damaged' },
        )
      if (reply.status < 300) return reply
      const reason = await explain(reply)
      if (reason instanceof TransportFault) throw reason
      throw faultOf(reply, reason, options)
    },
    close: async () => {
      await (await opened)?.destroy()
    },
  }
}

/** True for HTML, which a proxy or the login of a network sends in the place of a server. */
function isPage({ status, headers, bytes }: ExchangeReply, method: string | undefined): boolean {
  // Apache and wsgidav describe in HTML that they made something; some services name that type for no words.
  if (status === 201 || (bytes.length === 0 && method !== 'HEAD')) return false
  return (
    /^(?:text\/html|application\/xhtml)/iu.test(String(headers['content-type'] ?? '')) ||
    /^\s{0,100}<(?:!doctype html|html)/iu.test(bytes.toString('latin1', 0, 200))
  )
}

async function answered(reply: Promise<ExchangeReply>): Promise<ExchangeReply> {
  try {
    return await reply
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error
    const kind = error.kind === 'unreachable' ? 'unreachable' : 'damaged'
    throw new TransportFault(error.message + certificateHint(error.cause), { kind, cause: error })
  }
}

function certificateHint(cause: unknown): string {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/u.test(String(code))
    ? '; no known authority signed its certificate: name the file of yours in NODE_EXTRA_CA_CERTS, then memory daemon restart'
    : ''
}

function faultOf(
  { status, headers, url }: ExchangeReply,
  reason: string | undefined,
  { place, advice, now = Date.now }: HttpPlaceOptions,
): TransportFault {
  const said = `${place} answered ${status}${reason ? ` (${unscannedLine(reason, 200)})` : ''}`
  if (status === 401 || status === 403)
    return new TransportFault(`${said}: it refuses the credentials; ${advice}`, { kind: 'refused' })
  if (status === 404 || status === 410)
    return new TransportFault(`${urlWithoutQuery(url)} is not there (${status})`, { kind: 'absent' })
  if (status === 413 || status === 507)
    return new TransportFault(`${said}: it has no room for more`, { kind: 'full' })
  if (status >= 500 || [408, 425, 429].includes(status))
    return new TransportFault(said, {
      kind: 'unreachable',
      retryAfterMs: retryAfter(headers['retry-after'], now()),
    })
  const isRedirect = status >= 300 && status < 400
  const next = isRedirect ? elsewhere(url, headers.location) : ''
  return new TransportFault(said + next, { kind: 'damaged' })
}

function elsewhere(url: URL, location: string | string[] | undefined): string {
  const to =
    typeof location === 'string' && URL.canParse(location, url.href) ? new URL(location, url) : undefined
  const where = to ? ` to ${unscannedLine(urlWithoutQuery(to), 200)}` : ''
  return `: it redirects${where}. Redirects are not followed, since credentials would go along; name that address if it is right`
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d{1,9}$/u.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
