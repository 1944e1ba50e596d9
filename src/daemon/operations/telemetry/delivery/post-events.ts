import { exchange, openConnection } from '../../../ground/fetch/exchange.js'

/** Limit of one request, whatever the server does. */
const deadlineMs = 10_000
/** The answer's body is not used. */
const maxReplyBytes = 4096

/** Result of a request: accepted, rejected because of its content, or to be retried. */
export type PostResult = { end: 'taken' } | { end: 'refused' } | { end: 'failed'; askedMs: number }

/** Statuses that mean these events will never be accepted. */
const refusals = [400, 413, 415, 422]

/**
 * Posts events within a deadline, without following redirects. @throws the signal's reason when that was
 * aborted
 */
export async function postEvents(url: URL, body: string, signal: AbortSignal): Promise<PostResult> {
  const agent = await openConnection({ connectMs: deadlineMs, silenceMs: deadlineMs })
  try {
    const reply = await exchange(agent, {
      url,
      body,
      headers: {},
      maxBytes: maxReplyBytes,
      beyond: 'cut',
      signal,
      deadlineMs,
    })
    if (reply.status >= 200 && reply.status < 300) return { end: 'taken' }
    if (refusals.includes(reply.status)) return { end: 'refused' }
    const asked = Number(reply.headers['retry-after']) * 1000
    return { end: 'failed', askedMs: asked > 0 ? asked : 0 }
  } catch {
    if (signal.aborted) throw signal.reason
    return { end: 'failed', askedMs: 0 }
  } finally {
    await agent.destroy()
  }
}
