import { exchange, openConnection } from '../../../ground/fetch/exchange.js'

/** Of one request, whatever the other side does. */
const deadlineMs = 10_000
/** Nobody reads what is answered. */
const maxReplyBytes = 4096

/** How a request ended: taken, refused for what it holds, or to be tried again. */
export type Posted = { end: 'taken' } | { end: 'refused' } | { end: 'failed'; askedMs: number }

/** Statuses that say that these very events will never be taken. */
const refusals = [400, 413, 415, 422]

/** Posts events, within a deadline and without following anybody elsewhere. @throws the signal's reason when that was aborted */
export async function postEvents(url: URL, body: string, signal: AbortSignal): Promise<Posted> {
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
