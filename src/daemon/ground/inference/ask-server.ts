import type { Dispatcher } from 'undici'
import { isFault } from '../fetch/api-fault.js'
import { type Exchanged, type ExchangeRequest, exchange, jsonOf, placeOf } from '../fetch/exchange.js'
import type { Adapter, ModelReply, ModelRequest } from './adapter.js'
import { InferenceFault, type InferenceFaultKind } from './inference.js'

/** Of a reply: the longest answer that we ask for is a tenth of it, and models may think aloud before it. */
const maxReplyBytes = 512 * 1024

/** The signal of a question ends it sooner. */
const longestMs = 600_000
/** A server that is not there has counted nothing. */
const neverArrived = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Where and how a server is asked. */
export interface Server {
  adapter: Adapter
  url: URL
  agent: Dispatcher
}

/**
 * One request to a model and its reply. No redirect is followed: it would carry texts somewhere that nobody configured.
 * @throws InferenceFault for what is no answer, without a word of the server; the signal's reason when that was aborted
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
  throw new InferenceFault('malformed', `${placeOf(url)} answered something that is no reply of a model`)
}

async function send(
  agent: Dispatcher,
  request: ExchangeRequest & { signal: AbortSignal },
): Promise<Exchanged> {
  try {
    return await exchange(agent, request)
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason
    const place = placeOf(request.url)
    if (isFault(cause, 'too_large'))
      throw new InferenceFault('malformed', `${place} answered more than ${maxReplyBytes} bytes`)
    const code = codeOf(cause)
    throw new InferenceFault('unreachable', `${place} can't be reached${code && `: ${code}`}`, {
      isFree: neverArrived.includes(code),
    })
  }
}

async function parsed(reply: Exchanged): Promise<unknown> {
  try {
    return await jsonOf(reply)
  } catch {
    throw new InferenceFault('malformed', `${placeOf(reply.url)} answered something that is not JSON`)
  }
}

/** The code of the system alone: other words may be the server's. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && /^[A-Z_]+$/u.test(code)) return code
  }
  return ''
}

/** The text of an error is left out: servers quote the key or the question in it. */
function faultOf({ url, status, headers }: Exchanged): InferenceFault {
  const place = placeOf(url)
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
    return fault('unknown_model', `${place} answered 404: check inference.model and inference.baseUrl`)
  const message = `${place} answered ${status}`
  if (status === 429) return fault('limited', message)
  return fault(status < 500 || status === 501 ? 'refused' : 'unreachable', message)
}
