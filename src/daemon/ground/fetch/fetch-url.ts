import type { Dispatcher } from 'undici'
import { decoderFor, readAtMost } from '../../../lib/network/decode-body.js'
import { unusedProxy } from '../../../lib/network/unused-proxy.js'
import { version } from '../../../lib/workspace/version.js'
import {
  assertPublicHost,
  FetchFault,
  fetchFaultIn,
  guardedLookup,
  type PrivateHosts,
} from './guarded-lookup.js'

/** Product name and home page, for the server's operators. */
const userAgent = `memory-service/${version} (+https://www.npmjs.com/package/memory-service)`
/** Limit for the decompressed body. */
const maxFetchedBytes = 25 * 1024 * 1024
const defaultDeadlineMs = 30_000

export interface FetchOptions {
  /** Also allow this machine and private networks. */
  allowPrivate: boolean
  signal: AbortSignal
  /** Time limit for everything: redirects, headers, body. */
  deadlineMs?: number
}

export interface FetchedDocument {
  bytes: Buffer
  /** The `content-type` header unchanged; undefined without one. */
  contentType: string | undefined
  /** URL after the last redirect. */
  url: string
}

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

export interface RedirectSteps {
  /** Sends one request without following redirects. */
  ask(url: URL): Promise<Dispatcher.ResponseData>
  /** Resolves a redirect's target. @throws when the target is forbidden. */
  next(location: string, from: URL): URL
  /** The error thrown after the maximum number of redirects. */
  tooMany(most: number): Error
}

/**
 * Fetches one web document. Every host on the way is checked, by name and by resolved address. Proxies from
 * the environment are ignored and credentials are never sent.
 * @throws FetchFault without a body; the signal's reason when aborted
 */
export async function fetchUrl(address: string, options: FetchOptions): Promise<FetchedDocument> {
  const { allowPrivate, signal, deadlineMs = defaultDeadlineMs } = options
  const hosts = { allowed: allowPrivate, setting: 'documents.allowPrivateHosts' }
  signal.throwIfAborted()
  const { Agent } = await import('undici')
  const agent = new Agent({ connect: { lookup: guardedLookup(hosts) }, connections: 1, pipelining: 0 })
  const deadline = AbortSignal.timeout(deadlineMs)
  const either = AbortSignal.any([signal, deadline])
  try {
    return await follow(agent, address, { hosts, signal: either })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (deadline.aborted)
      throw new FetchFault(`${address} did not answer in full within ${deadlineMs / 1000} s`, {
        isPassing: true,
      })
    throw fetchFaultIn(error) ?? faultOf(address, error)
  } finally {
    await agent.destroy()
  }
}

interface Guard {
  hosts: PrivateHosts
  signal: AbortSignal
}

async function follow(agent: Dispatcher, address: string, guard: Guard): Promise<FetchedDocument> {
  const { reply, url } = await followRedirects(allowed(address, guard), {
    ask: one => ask(agent, one, guard),
    next: (location, from) => allowed(location, guard, from),
    tooMany: most => new FetchFault(`${address} redirects more than ${most} times`),
  })
  return { ...(await read(reply, url)), url: url.href }
}

/** @throws FetchFault for a forbidden address. */
function allowed(address: string, { hosts }: Guard, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new FetchFault(`${address} is not an http or https URL`)
  if (url.username || url.password)
    throw new FetchFault(`${url.origin} must not contain a user name or password`)
  assertPublicHost(url, hosts)
  url.hash = ''
  return url
}

async function ask(agent: Dispatcher, url: URL, { signal }: Guard): Promise<Dispatcher.ResponseData> {
  const { request } = await import('undici')
  return request(url, {
    dispatcher: agent,
    signal,
    headers: {
      'user-agent': userAgent,
      accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,*/*;q=0.5',
      'accept-encoding': 'gzip, deflate, br',
    },
  })
}

async function read(reply: Dispatcher.ResponseData, url: URL): Promise<Omit<FetchedDocument, 'url'>> {
  const { statusCode, headers, body } = reply
  if (statusCode >= 300) {
    const isPassing = statusCode >= 500 || [408, 425, 429].includes(statusCode)
    throw new FetchFault(`${url.href} answered ${statusCode}`, { isPassing })
  }
  const decode = decoderFor(headers['content-encoding'])
  if (!decode) throw new FetchFault(`${url.href} used a content encoding other than gzip, deflate or br`)
  const tooLarge = (): Error => new FetchFault(`${url.href} is larger than 25 MiB`)
  const bytes = await readAtMost(decode(body), maxFetchedBytes, tooLarge)
  if (bytes.length === 0) throw new FetchFault(`${url.href} returned an empty body`)
  const type = headers['content-type']
  return { bytes, contentType: typeof type === 'string' ? type : undefined }
}

/** Unknown names and invalid certificates are permanent errors; most others are temporary. */
const permanentCodes = new Set(['ENOTFOUND', 'UND_ERR_INVALID_ARG', 'ERR_INVALID_URL'])

function faultOf(address: string, error: unknown): FetchFault {
  const { code = '', message } = error as NodeJS.ErrnoException
  const isPassing = !permanentCodes.has(code) && !/CERT|SIGNATURE/u.test(code)
  return new FetchFault(`${address} can't be fetched: ${code || message}${unusedProxy()}`, {
    isPassing,
    cause: error,
  })
}

/**
 * Follows redirects from an address. @returns the first reply that is not a redirect, with its body unread.
 */
export async function followRedirects(
  first: URL,
  { ask, next, tooMany }: RedirectSteps,
): Promise<{ reply: Dispatcher.ResponseData; url: URL }> {
  let url = first
  for (let hops = 0; ; hops++) {
    const reply = await ask(url)
    const { location } = reply.headers
    if (!redirects.has(reply.statusCode) || typeof location !== 'string') return { reply, url }
    await reply.body.dump()
    if (hops === maxRedirects) throw tooMany(maxRedirects)
    url = next(location, url)
  }
}
