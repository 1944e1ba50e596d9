import { acpError, acpRun, type Message, type RelayState } from '../../../contract/agents/messages.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { RelayRow } from '../../../store/tables/agents/message-relays.js'
import type { MessageRow } from '../../../store/tables/agents/messages.js'
import { type Exchanged, exchange, jsonOf, openConnection, toldWithout } from '../../ground/fetch/exchange.js'
import { fetchFaultIn } from '../../ground/fetch/fetch-fault.js'
import { assertPublicHost, guardedLookup, type PrivateHosts } from '../../ground/fetch/guarded-lookup.js'

/** Of an answer: it holds what the other agent said, of which nothing is kept. */
const maxReplyBytes = 1024 * 1024

/** How handing a message over ended. */
export interface HandedOver {
  state: Extract<RelayState, 'delivered' | 'failed' | 'indeterminate'>
  receipt: NonNullable<Message['relay']>['receipt']
  error: string | null
}

/** Where runs are posted below a base address; undefined for what is no address of a server. */
export function runsAddress(base: string): URL | undefined {
  if (!URL.canParse(base)) return undefined
  const url = new URL(base)
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:'
  if (!isHttp || url.username || url.password || url.search || url.hash) return undefined
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/u, '')}/runs`
  return url
}

/**
 * Posts a message as a run of an agent (Agent Communication Protocol 0.2). The key of idempotency is the message's id,
 * so that a server knows a second attempt.
 * @returns `delivered` for a run, however it ended there; `failed` for what certainly did not become one; otherwise
 *   `indeterminate`. It throws nothing that the other side causes.
 */
export async function handOver(
  { base_url, target_agent_name, timeout_ms }: RelayRow,
  { id, content }: MessageRow,
  { allowPrivate, signal }: { allowPrivate: boolean; signal: AbortSignal },
): Promise<HandedOver> {
  const hosts = { allowed: allowPrivate, setting: 'messages.allowPrivateHosts' }
  const url = runsAddress(base_url) as URL
  const body = JSON.stringify({
    agent_name: target_agent_name,
    mode: 'sync',
    input: [{ role: 'user', parts: [{ content_type: 'text/plain', content }] }],
  })
  try {
    assertPublicHost(url, hosts)
    return await outcomeOf(await post(url, { id, body, hosts, timeoutMs: timeout_ms, signal }))
  } catch (error) {
    const refused = fetchFaultIn(error)
    if (refused) return { state: 'failed', receipt: null, error: refused.message }
    const why = signal.aborted ? 'the daemon ended while the message was on its way' : wordsOf(error)
    return { state: 'indeterminate', receipt: null, error: why }
  }
}

interface Post {
  id: string
  body: string
  hosts: PrivateHosts
  timeoutMs: number
  signal: AbortSignal
}

async function post(url: URL, { id, body, hosts, timeoutMs, signal }: Post): Promise<Exchanged> {
  const lookup = guardedLookup(hosts)
  const agent = await openConnection({ lookup, connectMs: timeoutMs, silenceMs: timeoutMs })
  try {
    const headers = { accept: 'application/json', 'idempotency-key': id }
    return await exchange(agent, {
      url,
      body,
      headers,
      maxBytes: maxReplyBytes,
      deadlineMs: timeoutMs,
      signal,
    })
  } finally {
    await agent.destroy()
  }
}

async function outcomeOf(reply: Exchanged): Promise<HandedOver> {
  const { status: httpStatus, url } = reply
  const receipt = { runId: null, status: null, httpStatus }
  if (httpStatus >= 500) return { state: 'indeterminate', receipt, error: await answered(reply) }
  if (httpStatus >= 300 && httpStatus < 400)
    return { state: 'failed', receipt, error: `${url.origin} redirects, which is not followed` }
  if (httpStatus >= 400) return { state: 'failed', receipt, error: await answered(reply) }
  const run = acpRun.safeParse(await jsonOf(reply)).data
  if (!run)
    return { state: 'indeterminate', receipt, error: `${url.origin} answered something that is no run` }
  return { state: 'delivered', receipt: { ...receipt, runId: run.run_id, status: run.status }, error: null }
}

async function answered(reply: Exchanged): Promise<string> {
  const told = await errorIn(reply)
  const words = told ? `: ${toldWithout(undefined, `${told.code}, ${told.message}`)}` : ''
  return `${reply.url.origin} answered ${reply.status}${words}`
}

async function errorIn(reply: Exchanged) {
  try {
    return acpError.safeParse(await jsonOf(reply)).data
  } catch {
    return undefined
  }
}

function wordsOf(error: unknown): string {
  return toldWithout(undefined, messageOf(error))
}
