import { acpError, acpRun, type Message, type RelayState } from '../../../contract/agents/messages.js'
import { AppError } from '../../../contract/ground/errors.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { MessageRow, RelayRow } from '../../../store/tables/agents/messages.js'
import type { Tables } from '../../../store/tables/tables.js'
import {
  type ExchangeReply,
  exchange,
  jsonOf,
  openConnection,
  redactedMessage,
} from '../../ground/fetch/exchange.js'
import {
  assertPublicHost,
  fetchFaultIn,
  guardedLookup,
  type PrivateHosts,
} from '../../ground/fetch/guarded-lookup.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { runExclusively, runningKeys } from '../programs/runs.js'
import { toMessage } from './message.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration'>

/** The first attempt and two manual retries (messages.md 3.5). */
const maxAttempts = 3

/** Prefix of the keys of running relays. */
const keyStart = 'relay:'

/** Limit for one reply; it contains what the other agent said, and none of it is stored. */
const maxReplyBytes = 1024 * 1024

export interface RelayOutcome {
  state: Extract<RelayState, 'delivered' | 'failed' | 'indeterminate'>
  receipt: NonNullable<Message['relay']>['receipt']
  error: string | null
}

/**
 * Sends a message to its target server once. The state is stored before and after: a kill in between leaves
 * the message `indeterminate`, and it is never resent automatically (messages.md 3.5).
 * @param store stores a new message. It runs under the lock, so recovery can't mistake the message for one
 * that an earlier daemon left.
 * @throws AppError `conflict` when the message is not in the state `from` or has no attempts left.
 */
export async function relayMessage(
  deps: Deps,
  message: MessageRow,
  { from, store: add }: { from: 'pending' | 'indeterminate'; store?: () => Promise<void> },
): Promise<Message> {
  const { id } = message
  const { store, clock, configuration } = deps
  const busy = `message ${id} is being relayed now`
  await runExclusively(deps, { key: keyStart + id, busy }, async signal => {
    await add?.()
    const now = () => clock().toISOString()
    const begun = await store.transaction(({ messageRelays }) =>
      messageRelays.begin(id, { from, maxAttempts, now: now() }),
    )
    const relay = await relayOf(store.tables, id)
    if (!begun) throw relayRefused(id, relay)
    const end = await postRun(relay, message, {
      allowPrivate: configuration().settings.messages.allowPrivateHosts,
      signal,
    })
    const { state, receipt, error } = end
    await store.transaction(({ messageRelays }) =>
      messageRelays.end(id, { state, error, receipt_json: receipt && JSON.stringify(receipt) }, now()),
    )
  })
  return toMessage(message, await relayOf(store.tables, id), null)
}

async function relayOf({ messageRelays }: Pick<Tables, 'messageRelays'>, id: string) {
  const [relay] = await messageRelays.of([id])
  if (!relay)
    throw new AppError(
      'conflict',
      `message ${id} is in a local inbox; only messages sent with via acp are relayed`,
    )
  return relay
}

function relayRefused(id: string, { state, attempts }: { state: string; attempts: number }): AppError {
  const why =
    state === 'indeterminate'
      ? `was relayed ${attempts} times and has no retries left; ask the recipient whether it arrived`
      : `is ${state}; only an indeterminate message can be retried`
  return new AppError('conflict', `message ${id} ${why}`)
}

/**
 * Marks relays that a previous daemon left unfinished. Relays of this daemon may be running already and are
 * left alone.
 */
export async function closeLostRelays(deps: Pick<Daemon, 'store' | 'clock'>): Promise<void> {
  const { store, clock } = deps
  await store.transaction(({ messageRelays }) =>
    messageRelays.lose(runningKeys(deps, keyStart), {
      error: 'the daemon stopped while the message was being sent',
      now: clock().toISOString(),
    }),
  )
}

/**
 * Returns the URL below a base address that runs are posted to; undefined when the base is not a server
 * address.
 */
export function runsAddress(base: string): URL | undefined {
  if (!URL.canParse(base)) return undefined
  const url = new URL(base)
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:'
  if (!isHttp || url.username || url.password || url.search || url.hash) return undefined
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/u, '')}/runs`
  return url
}

/**
 * Posts a message as a run of an agent (Agent Communication Protocol 0.2). The message id is the idempotency
 * key, so the server recognises a second attempt. Never throws for faults of the other side.
 * @returns `delivered` for a run, however it ended there; `failed` when it certainly did not become a run;
 * otherwise `indeterminate`.
 */
async function postRun(
  { base_url, target_agent_name, timeout_ms }: RelayRow,
  { id, content }: MessageRow,
  { allowPrivate, signal }: { allowPrivate: boolean; signal: AbortSignal },
): Promise<RelayOutcome> {
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
    const why = signal.aborted ? 'the daemon stopped while the message was being sent' : redactedText(error)
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

async function post(url: URL, { id, body, hosts, timeoutMs, signal }: Post): Promise<ExchangeReply> {
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

async function outcomeOf(reply: ExchangeReply): Promise<RelayOutcome> {
  const { status: httpStatus, url } = reply
  const receipt = { runId: null, status: null, httpStatus }
  if (httpStatus >= 500) return { state: 'indeterminate', receipt, error: await describeReply(reply) }
  if (httpStatus >= 300 && httpStatus < 400)
    return {
      state: 'failed',
      receipt,
      error: `${url.origin} answered with a redirect; redirects are not followed`,
    }
  if (httpStatus >= 400) return { state: 'failed', receipt, error: await describeReply(reply) }
  const run = acpRun.safeParse(await jsonOf(reply)).data
  if (!run) return { state: 'indeterminate', receipt, error: `${url.origin} did not answer with a run` }
  return { state: 'delivered', receipt: { ...receipt, runId: run.run_id, status: run.status }, error: null }
}

async function describeReply(reply: ExchangeReply): Promise<string> {
  const told = await errorIn(reply)
  const words = told ? `: ${redactedMessage(undefined, `${told.code}, ${told.message}`)}` : ''
  return `${reply.url.origin} answered ${reply.status}${words}`
}

async function errorIn(reply: ExchangeReply) {
  try {
    return acpError.safeParse(await jsonOf(reply)).data
  } catch {
    return undefined
  }
}

function redactedText(error: unknown): string {
  return redactedMessage(undefined, messageOf(error))
}
