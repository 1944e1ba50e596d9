import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../../lib/text/json-of.js'

/** The revision in which every request is complete in itself, without a handshake. */
export const modernRevision = '2026-07-28'

const prefix = 'io.modelcontextprotocol/'
export const metaKeys = {
  version: `${prefix}protocolVersion`,
  client: `${prefix}clientInfo`,
  capabilities: `${prefix}clientCapabilities`,
  logLevel: `${prefix}logLevel`,
  server: `${prefix}serverInfo`,
  subscription: `${prefix}subscriptionId`,
} as const

/** Error code of the older revisions for a missing resource. */
export const resourceNotFound = -32002

/** Error codes of this revision. */
export const modernCodes = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
} as const

/** The data that each request carries about its client. */
export interface Envelope {
  version: string
  client: { name: string; version: string } | undefined
  capabilities: Readonly<Record<string, unknown>>
}

export interface RpcFault {
  code: number
  message: string
  data?: unknown
}

/** Sends a request to the server of the older revisions, and returns its reply. */
export type AskServer = (request: JSONRPCRequest) => Promise<Reply>

export type Reply = { result: Record<string, unknown> } | { error: RpcFault }

/** Passes a notification on. */
export type NotifyServer = (message: JSONRPCMessage) => void

/** Asks the user, or runs the request if there is nothing to ask or the answer has come. */
export type AskFirst = (
  request: JSONRPCRequest,
  capabilities: Envelope['capabilities'],
  ask: AskServer,
) => Promise<Reply>

/** Returns true if a message names a revision in its own data, as only this one and later ones do. */
export function claimsModern(message: unknown): boolean {
  return isRecord(message) && metaKeys.version in metaOf(message.params)
}

/** Returns the data of a request, or its fault. */
export function readEnvelope(params: unknown): { envelope: Envelope } | { fault: RpcFault } {
  const meta = metaOf(params)
  const { [metaKeys.version]: version, [metaKeys.client]: client, [metaKeys.capabilities]: given } = meta
  const wrong =
    (typeof version !== 'string' && metaKeys.version) ||
    (!isRecord(given) && metaKeys.capabilities) ||
    (client !== undefined && !isClient(client) && metaKeys.client)
  if (wrong) {
    const problem = meta[wrong] === undefined ? 'missing' : 'invalid'
    const message = `_meta of the request: ${wrong} is ${problem}`
    return {
      fault: { code: modernCodes.invalidParams, message, data: { envelope: { key: wrong, problem } } },
    }
  }
  if (version !== modernRevision) {
    const message = `Unsupported protocol version: ${version}`
    const data = { supported: [modernRevision], requested: version }
    return { fault: { code: modernCodes.unsupportedVersion, message, data } }
  }
  const named = isClient(client) ? { name: client.name, version: client.version } : undefined
  return { envelope: { version, client: named, capabilities: given as Envelope['capabilities'] } }
}

/** Returns the parameters without the data about the client. */
export function withoutEnvelope(params: unknown): Record<string, unknown> {
  const { _meta: _, ...rest } = isRecord(params) ? params : {}
  const own = [metaKeys.version, metaKeys.client, metaKeys.capabilities, metaKeys.logLevel] as string[]
  const kept = Object.entries(metaOf(params)).filter(([key]) => !own.includes(key))
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest
}

function metaOf(params: unknown): Record<string, unknown> {
  return isRecord(params) && isRecord(params._meta) ? params._meta : {}
}

function isClient(value: unknown): value is { name: string; version: string } {
  return isRecord(value) && typeof value.name === 'string' && typeof value.version === 'string'
}
