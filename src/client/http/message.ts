import type { Address, Reply, Request } from '../../contract/api.js'
import { jsonOf } from '../../lib/text/json-of.js'
import { ClientError } from './client-error.js'
import type { HttpRequest } from './node-exchange.js'
import type { HttpReply } from './plain-reply.js'

/** An API request as HTTP, without destination and time limit. */
export type HttpMessage = Omit<HttpRequest, 'timeoutMs' | 'body'> & { body?: string | Buffer }

/**
 * Calls one endpoint over any transport for HTTP messages: a socket, or the daemon's own application. Only
 * headers that JSON needs are added.
 * @throws ClientError with the daemon's code and status for a reply of 400 and above, and any error of
 * `exchange`.
 */
export async function sendOver<A extends Address>(
  address: A,
  request: Request<A>,
  headers: Record<string, string>,
  exchange: (message: HttpMessage) => Promise<HttpReply>,
): Promise<Reply<A>> {
  const [method, template] = address.split(' ') as [string, string]
  const path =
    fillPath(template, request.params as Record<string, unknown> | undefined) + queryOf(request.query)
  const accept = { accept: 'application/json', ...givenOf(request.headers), ...headers }
  return readReply(await exchange({ method, path, ...(await contentOf(request, accept)) })) as Reply<A>
}

async function contentOf(
  { body, lines, bytes, form }: { body?: unknown; lines?: string; bytes?: Uint8Array; form?: FormData },
  headers: Record<string, string>,
): Promise<Pick<HttpMessage, 'headers' | 'body'>> {
  if (form) {
    // Encodes the form with the web API, which Node loads on first use.
    const encoded = new Response(form)
    const type = encoded.headers.get('content-type') ?? ''
    return { headers: { ...headers, 'content-type': type }, body: Buffer.from(await encoded.arrayBuffer()) }
  }
  if (bytes !== undefined)
    return {
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    }
  if (lines !== undefined)
    return { headers: { ...headers, 'content-type': 'application/x-ndjson' }, body: lines }
  return { headers, body: body === undefined ? undefined : JSON.stringify(body) }
}

function givenOf(headers: Request<Address>['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function fillPath(template: string, params: Record<string, unknown> = {}): string {
  return template.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

/** @returns the query with its question mark; '' if it is empty. */
export function queryOf(query: Request<Address>['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  )
  return given.length > 0 ? `?${given.join('&')}` : ''
}

/** @throws ClientError for a reply of 400 and above. */
export function readReply(reply: HttpReply): unknown {
  const isJson = /[/+]json\b/.test(reply.headers['content-type'] ?? '')
  const value = isJson ? jsonOf(reply.text) : undefined
  if (reply.status < 400) return isJson ? value : reply.text
  const body = (value ?? {}) as Record<string, unknown>
  const requestId = reply.headers['x-request-id']
  const { next, ...rest } = body
  throw new ClientError(withoutAdvice(String(body.error ?? `the daemon answered ${reply.status}`), next), {
    code: String(body.code ?? 'internal'),
    status: reply.status,
    details: body.details,
    ...(typeof requestId === 'string' && { requestId }),
    body: rest,
    ...(typeof next === 'string' && { nextSteps: [next] }),
  })
}

/** Removes the next step from the end of an error's sentence. */
function withoutAdvice(sentence: string, next: unknown): string {
  const end = `; ${next}`
  return sentence.endsWith(end) ? sentence.slice(0, -end.length) : sentence
}
