import type { Dispatcher } from 'undici'
import { isFault } from '../fetch/api-fault.js'
import {
  type ExchangeReply,
  type ExchangeRequest,
  exchange,
  jsonOf,
  urlWithoutQuery,
} from '../fetch/exchange.js'
import type { Adapter, ModelReply, ModelRequest } from './adapter.js'
import { InferenceFault, type InferenceFaultKind } from './inference.js'

/** Ten times the longest answer requested, as models may write their reasoning first. */
const maxReplyBytes = 512 * 1024

/** Upper limit; the question's signal usually ends it sooner. */
const longestMs = 600_000
/** The request never reached a server, so nothing was charged. */
const neverArrived = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Address and protocol of a server. */
export interface Server {
  adapter: Adapter
  url: URL
  agent: Dispatcher
}

/**
 * Sends one request to a model. Redirects are not followed: they would send texts to an unconfigured server.
 * @throws InferenceFault without any text from the server; the signal's reason when aborted
 */
export async function askServer(
  { adapter, url, agent }: Server,
  request: ModelRequest,
  { key, signal }: { key: string | undefined; signal: AbortSignal },
): Promise<ModelReply> {
  const reply = await send(agent, {
    url,
    body: JSON.stringify(adapter.body(request)),
    headers: { accept: 'application/json', ...adapter.headers(key) },
    maxBytes: maxReplyBytes,
    signal,
    deadlineMs: longestMs,
  })
  if (reply.status >= 300) throw faultOf(reply)
  const read = adapter.read(await parsed(reply))
  if (read) return read
  throw new InferenceFault('malformed', `${urlWithoutQuery(url)} did not return a model reply`)
}

async function send(
  agent: Dispatcher,
  request: ExchangeRequest & { signal: AbortSignal },
): Promise<ExchangeReply> {
  try {
    return await exchange(agent, request)
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason
    const place = urlWithoutQuery(request.url)
    if (isFault(cause, 'too_large'))
      throw new InferenceFault('malformed', `${place} returned more than ${maxReplyBytes} bytes`)
    const code = codeOf(cause)
    throw new InferenceFault('unreachable', `${place} can't be reached${code && `: ${code}`}`, {
      isFree: neverArrived.includes(code),
    })
  }
}

async function parsed(reply: ExchangeReply): Promise<unknown> {
  try {
    return await jsonOf(reply)
  } catch {
    throw new InferenceFault('malformed', `${urlWithoutQuery(reply.url)} did not return JSON`)
  }
}

/** Returns only system error codes: other words may come from the server. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && /^[A-Z_]+$/u.test(code)) return code
  }
  return ''
}

/** The error text is omitted: servers quote the key or the question in it. */
function faultOf({ url, status, headers }: ExchangeReply): InferenceFault {
  const place = urlWithoutQuery(url)
  const fault = (kind: InferenceFaultKind, message: string): InferenceFault =>
    new InferenceFault(kind, message, {
      isFree: true,
      retryAfterMs: Number(headers['retry-after']) * 1000 || undefined,
    })
  if (status < 400)
    return fault(
      'unreachable',
      `${place} answered ${status}, and redirects are not followed: check inference.baseUrl`,
    )
  if (status === 401 || status === 403)
    return fault('unauthorized', `${place} refused the key (${status}): check inference.apiKey`)
  if (status === 404)
    return fault('unknown_model', `${place} returned 404: check inference.model and inference.baseUrl`)
  const message = `${place} answered ${status}`
  if (status === 429) return fault('limited', message)
  return fault(status < 500 || status === 501 ? 'refused' : 'unreachable', message)
}
