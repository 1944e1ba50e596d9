import type { Agent } from 'undici'
import { ApiFault } from '../../../ground/fetch/api-fault.js'
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
  now?: () => number
}

const connections = 4
/** A segment at 140 KB a second. */
const usualDeadlineMs = 120_000

/** Opens no connection before the first request. */
export function httpPlace({ place, signal, advice, now = Date.now }: HttpPlaceOptions): HttpPlace {
  let opened: Promise<Agent> | undefined
  return {
    send: async ({ expected = [], maxBytes = mostSegmentBytes, headers = {}, ...call }) => {
      opened ??= openConnection({ connections })
      const reply = await answered(
        exchange(await opened, {
          ...{ deadlineMs: usualDeadlineMs, ...call, headers, maxBytes, signal },
        }),
      )
      if (reply.status < 300 || expected.includes(reply.status)) return reply
      throw faultOf(reply, { place, advice, now: now() })
    },
    close: async () => {
      await (await opened)?.destroy()
    },
  }
}

async function answered(reply: Promise<ExchangeReply>): Promise<ExchangeReply> {
  try {
    return await reply
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error
    const kind = error.kind === 'unreachable' ? 'unreachable' : 'damaged'
    throw new TransportFault(error.message, { kind, cause: error })
  }
}

function faultOf(
  { status, headers, url }: ExchangeReply,
  { place, advice, now }: { place: string; advice: string; now: number },
): TransportFault {
  const said = `${place} answered ${status}`
  if (status === 401 || status === 403)
    return new TransportFault(`${said}: it refuses the credentials; ${advice}`, { kind: 'refused' })
  if (status === 404 || status === 410)
    return new TransportFault(`${urlWithoutQuery(url)} is not there (${status})`, { kind: 'absent' })
  if (status === 413 || status === 507)
    return new TransportFault(`${said}: it has no room for more`, { kind: 'full' })
  if (status >= 500 || [408, 425, 429].includes(status))
    return new TransportFault(said, {
      kind: 'unreachable',
      retryAfterMs: retryAfter(headers['retry-after'], now),
    })
  const isRedirect = status >= 300 && status < 400
  const next = isRedirect ? '; name the address that it redirects to, as redirects are not followed' : ''
  return new TransportFault(said + next, { kind: 'damaged' })
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d{1,9}$/u.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
