import type { ErrorCode } from '../../../../contract/ground/errors.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import { unscannedLine } from '../../../../lib/text/one-line.js'
import type { ExchangeReply } from '../../../ground/fetch/exchange.js'
import { resolveToken } from '../../../ground/secrets/secrets.js'
import { type HttpCall, httpPlace } from './http.js'
import {
  type StoredFile,
  type Transport,
  TransportFault,
  type TransportFaultKind,
  type TransportOptions,
} from './transport.js'

/** Codes of the other daemon that mean more than their status. */
const kinds: Partial<Record<ErrorCode, TransportFaultKind>> = {
  conflict: 'absent',
  validation_failed: 'unreachable',
  payload_too_large: 'full',
  insufficient_storage: 'full',
}
const pageBytes = 4 * 1024 * 1024

/** A box of another daemon, which sees ciphertext only. */
export async function relayTransport(
  { url, box }: { url: URL; box: string },
  { place, signal, advice, credentials }: TransportOptions,
): Promise<Transport> {
  const http = httpPlace({ place, signal, advice })
  const send = async (call: Omit<HttpCall, 'url'>, path: string, query: Record<string, string>) => {
    const at = new URL(`/api/sync/relay/${box}${path}`, url)
    at.search = new URLSearchParams(query).toString()
    const value = await credentials()
    const token =
      value === undefined ? undefined : await resolveToken(async () => value, 'of the sync', ['Bearer'])
    const headers = { ...call.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const reply = await http.send({ ...call, url: at, headers, expected: [400, 404, 409, 413, 507] })
    if (reply.status < 300) return reply
    const said = saidBy(reply)
    if (said.code === 'not_found' && path !== '') return undefined
    const kind = (said.code && kinds[said.code]) ?? 'damaged'
    throw new TransportFault(`${place}: ${said.error ?? `it answered ${reply.status}`}`, { kind })
  }
  return {
    place,
    list: async () => {
      const files: StoredFile[] = []
      for (let after: string | null = ''; after !== null; ) {
        const reply = await send({ maxBytes: pageBytes }, '', { after })
        const page = pageOf(reply, after, place)
        files.push(...page.files)
        after = page.next
      }
      return files
    },
    get: async name => (await send({}, '/file', { name }))?.bytes,
    put: async (name, bytes) => {
      const headers = { 'content-type': 'application/octet-stream' }
      await send({ method: 'PUT', body: bytes, headers }, '/file', { name })
    },
    remove: async name => {
      await send({ method: 'DELETE' }, '/file', { name })
    },
    close: () => http.close(),
  }
}

interface BoxPage {
  files: StoredFile[]
  next: string | null
}

/** @throws TransportFault for anything but a page, such as the login page of a network */
function pageOf(reply: ExchangeReply | undefined, after: string, place: string): BoxPage {
  const page = reply && (jsonOf(reply.bytes.toString()) as Partial<BoxPage> | undefined)
  if (page && Array.isArray(page.files) && page.files.every(isFile) && isNext(page.next, after, page.files))
    return page as BoxPage
  throw new TransportFault(`${place} does not answer as a memory daemon does; see the address`, {
    kind: 'damaged',
  })
}

function isFile(file: Partial<StoredFile> | null): boolean {
  return typeof file?.name === 'string' && typeof file.bytes === 'number'
}

/** A page that names no later file would be asked for ever. */
function isNext(next: unknown, after: string, files: readonly StoredFile[]): boolean {
  return next === null || (typeof next === 'string' && next > after && next === files.at(-1)?.name)
}

function saidBy(reply: ExchangeReply): { code?: ErrorCode; error?: string } {
  const { code, error } = (jsonOf(reply.bytes.toString()) ?? {}) as { code?: unknown; error?: unknown }
  return {
    ...(typeof code === 'string' && { code: code as ErrorCode }),
    ...(typeof error === 'string' && { error: unscannedLine(error, 200) }),
  }
}
