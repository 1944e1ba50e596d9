import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../../lib/text/json-of.js'
import {
  type AskFirst,
  type AskServer,
  type Envelope,
  metaKeys,
  modernCodes,
  modernRevision,
  type NotifyServer,
  type Reply,
  type RpcFault,
  readEnvelope,
  resourceNotFound,
  withoutEnvelope,
} from './envelope.js'

/** How long clients may keep a list, and if they may share it between users; absent results are not kept. */
const caching: Readonly<Record<string, { ttlMs: number; cacheScope: 'public' | 'private' }>> = {
  'server/discover': { ttlMs: 300_000, cacheScope: 'public' },
  'tools/list': { ttlMs: 60_000, cacheScope: 'public' },
  'prompts/list': { ttlMs: 300_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 300_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 0, cacheScope: 'private' },
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
}

/** Methods of the revision; others, such as ping and initialize, exist in older ones only. */
const methods = new Set([
  ...Object.keys(caching),
  'tools/call',
  'prompts/get',
  'completion/complete',
  'subscriptions/listen',
  'skills/list',
  'skills/get',
])

const greetingId = 'memory-service:initialize'

interface Facts {
  capabilities: Record<string, unknown>
  serverInfo: Record<string, unknown>
  instructions?: string
}

/**
 * Returns a function that answers messages of revision 2026-07-28 by a server of the older ones. It greets
 * that server first, and gives each result its type, the time to keep it, and the name of the server.
 * @param askFirst asks the user before tools that say so.
 */
export function modernAnswers(
  { ask, notify }: { ask: AskServer; notify: NotifyServer },
  askFirst: AskFirst,
): (message: JSONRPCMessage) => Promise<JSONRPCMessage[]> {
  let greeted: { extensions: string; facts: Promise<Facts> } | undefined
  let isUsed = false
  const factsFor = (envelope: Envelope) => {
    // Each request names the extensions of its client, and the greeting decides what is listed.
    const extensions = JSON.stringify(envelope.capabilities.extensions ?? {})
    if (greeted?.extensions !== extensions) greeted = { extensions, facts: greet(ask, envelope) }
    return greeted.facts
  }
  const resultOf = async ({ id, method, params }: JSONRPCRequest): Promise<Reply> => {
    if (!methods.has(method)) return fault(modernCodes.methodNotFound, `Method not found: ${method}`)
    const read = readEnvelope(params)
    if ('fault' in read) return { error: read.fault }
    const facts = await factsFor(read.envelope)
    if (method === 'server/discover') return { result: discovered(facts) }
    if (!isUsed) notify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    isUsed = true
    const plain = { jsonrpc: '2.0' as const, id, method, params: withoutEnvelope(params) }
    return askFirst(plain, read.envelope.capabilities, ask)
  }
  return async message => {
    if (!('method' in message)) return []
    if (!('id' in message)) {
      notify({ ...message, params: withoutEnvelope(message.params) })
      return []
    }
    const { id, method } = message
    const read = readEnvelope(message.params)
    if (method === 'subscriptions/listen' && 'envelope' in read)
      return listened(id, message.params, await factsFor(read.envelope))
    const reply = await resultOf(message)
    if ('error' in reply) return [{ jsonrpc: '2.0', id, error: modernFault(reply.error) }]
    const { serverInfo } = await factsFor((read as { envelope: Envelope }).envelope)
    return [{ jsonrpc: '2.0', id, result: modernResult(method, reply.result, serverInfo) }]
  }
}

async function greet(ask: AskServer, { client, capabilities: { extensions } }: Envelope): Promise<Facts> {
  const reply = await ask({
    jsonrpc: '2.0',
    id: greetingId,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      // The server must not ask: this revision has no requests of servers.
      capabilities: isRecord(extensions) ? { extensions } : {},
      clientInfo: client ?? { name: '', version: '' },
    },
  })
  if ('error' in reply) throw new Error(reply.error.message)
  return reply.result as unknown as Facts
}

function discovered({ capabilities, instructions }: Facts): Record<string, unknown> {
  return { supportedVersions: [modernRevision], capabilities, ...(instructions && { instructions }) }
}

/**
 * Answers a subscription. The lists change with settings only, and clients ask again when their copy is too
 * old, so there is nothing to notify: the subscription is confirmed as empty and ends.
 */
function listened(id: RequestId, params: unknown, { serverInfo }: Facts): JSONRPCMessage[] {
  if (!isRecord(params) || !isRecord(params.notifications))
    return [
      { jsonrpc: '2.0', id, error: { code: modernCodes.invalidParams, message: 'notifications is missing' } },
    ]
  const _meta = { [metaKeys.subscription]: id }
  return [
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {}, _meta },
    },
    {
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete', _meta: { ..._meta, [metaKeys.server]: serverInfo } },
    },
  ]
}

function modernResult(
  method: string,
  result: Record<string, unknown>,
  serverInfo: Record<string, unknown>,
): Record<string, unknown> {
  const meta = isRecord(result._meta) ? result._meta : {}
  const isComplete = result.resultType === undefined
  return {
    resultType: 'complete',
    ...(isComplete && caching[method]),
    ...result,
    _meta: { ...meta, [metaKeys.server]: serverInfo },
  }
}

/** A missing resource has no code of its own any more. */
function modernFault(error: RpcFault): RpcFault {
  return error.code === resourceNotFound ? { ...error, code: modernCodes.invalidParams } : error
}

function fault(code: number, message: string): Reply {
  return { error: { code, message } }
}

/** A transport on which a server of the older revisions is asked directly. */
export class AskedServer implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #waiting = new Map<RequestId, (reply: Reply) => void>()

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Resolves to the reply; never, if the request is cancelled. */
  readonly ask = (request: JSONRPCRequest): Promise<Reply> =>
    new Promise(resolve => {
      this.#waiting.set(request.id, resolve)
      this.onmessage?.(request)
    })

  readonly notify = (message: JSONRPCMessage): void => {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#waiting.delete(message.params?.requestId as RequestId)
    this.onmessage?.(message)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.takes(message)
  }

  /** Returns true if a message is the reply to a request of `ask`. */
  takes(message: JSONRPCMessage): boolean {
    if ('method' in message || message.id === undefined) return false
    const resolve = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    resolve?.(message as Reply)
    return resolve !== undefined
  }
}
