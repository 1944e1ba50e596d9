import { isRecord } from '../../lib/text/json-of.js'
import { claimsModern, metaKeys, modernCodes, modernRevision, type RpcFault } from './envelope.js'

/** The parameter that the header Mcp-Name repeats. */
const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/u

/** Returns true if a request is of revision 2026-07-28 or later, by its body or its header. */
export function isModernPost({ method, headers }: Request, body: unknown): boolean {
  if (method !== 'POST' || Array.isArray(body)) return false
  if (isRecord(body) && !('method' in body)) return false
  return claimsModern(body) || isModernHeader(headers.get('mcp-protocol-version'))
}

/** Revisions are dates. */
function isModernHeader(version: string | null): boolean {
  return version !== null && version.trim() >= modernRevision && /^\d{4}-\d\d-\d\d$/u.test(version.trim())
}

/** Returns how headers contradict the body, which intermediaries do not read; undefined if they agree. */
export function headerFault({ headers }: Request, body: Record<string, unknown>): RpcFault | undefined {
  const { method, params } = body
  const header = (name: string) => headers.get(name)?.trim()
  const version = header('mcp-protocol-version')
  const isRequest = 'id' in body
  if (!claimsModern(body)) {
    if (method === 'initialize') return mismatch('an older handshake has a newer revision in its header')
    if (!isRequest) return undefined
    return {
      code: modernCodes.invalidParams,
      message: `the header names revision ${version}, but _meta of the request does not`,
      data: { envelope: { missing: [metaKeys.version] } },
    }
  }
  const claimed = ((params as Record<string, unknown>)._meta as Record<string, unknown>)[metaKeys.version]
  if (version === undefined ? isRequest : version !== claimed)
    return mismatch(`MCP-Protocol-Version is ${version ?? 'missing'}, the body names ${claimed}`)
  const named = header('mcp-method')
  if (named === undefined ? isRequest : named !== method)
    return mismatch(`Mcp-Method is ${named ?? 'missing'}, the body names ${method}`)
  return isRequest
    ? nameFault(String(method), params as Record<string, unknown>, header('mcp-name'))
    : undefined
}

function nameFault(
  method: string,
  params: Record<string, unknown>,
  given: string | undefined,
): RpcFault | undefined {
  const field = Object.hasOwn(namedBy, method) ? (namedBy[method] as string) : undefined
  const expected = field && params[field]
  if (typeof expected !== 'string') return undefined
  if (given === undefined) return mismatch(`Mcp-Name is missing, the body names ${expected}`)
  const name = plainName(given)
  return name === expected ? undefined : mismatch(`Mcp-Name is ${name ?? given}, the body names ${expected}`)
}

/** Names beyond ASCII are in base64. @returns undefined for one that is not valid. */
function plainName(given: string): string | undefined {
  if (!given.startsWith('=?')) return given
  const [, base64] = encoded.exec(given) ?? []
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('utf8')
}

function mismatch(message: string): RpcFault {
  return { code: modernCodes.headerMismatch, message: `headers and body disagree: ${message}` }
}
