import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../contract/ground/errors.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { quoted } from '../../../lib/text/clip.js'
import type { AuthMode } from '../auth/auth.js'

type GuardedRequest = Pick<FastifyRequest, 'headers' | 'routeOptions' | 'raw'>

/**
 * Rejects requests from other web pages (rules.md#hosts-and-origins): a malicious page sends its own Origin
 * or its site, and a DNS rebinding page sends its own Host.
 * @throws AppError `forbidden_host` or `forbidden_origin`
 */
export function guardBrowser(
  request: GuardedRequest,
  { boundHost, mode, publicUrl }: { boundHost: string; mode: AuthMode; publicUrl?: string | undefined },
): void {
  const host = hostOf(request)
  const loopbackOnly =
    isTrustedLocally(request, mode) ||
    // MCP requires this check in every mode.
    (isLoopback(boundHost) && (mode !== 'team' || request.routeOptions.url === '/mcp'))
  const isPublic = () =>
    mode !== 'local' && publicUrl !== undefined && new URL(publicUrl).host === host.toLowerCase()
  if (loopbackOnly && !isLoopback(hostName(host)) && !isPublic())
    throw forbiddenHost(
      `Host ${quoted(host)} is not this machine; use 127.0.0.1 or localhost, also as Host; other names need auth.mode team and an API key`,
    )
  const { origin } = request.headers
  const own = { mode, port: request.raw.socket.localPort, publicUrl }
  if (origin !== undefined && !isOwnOrigin(origin, host, own))
    throw new AppError('forbidden_origin', `Origin ${quoted(origin)} may not use this service`)
  if (origin === undefined && isFromAnotherSite(request))
    throw new AppError('forbidden_origin', 'a page of another site may only link to /ui/')
}

/** The web page itself and the pages of a login, which any page may link to. */
const linkable = /^\/(?:(?:ui|oauth\/(?:authorize|device|login))(?:\/[^?]*)?)?(?:\?.*)?$/u

/** Browsers send no Origin with an image or a link of another page, but say whose page it is. */
function isFromAnotherSite({ headers, raw }: GuardedRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  return headers['sec-fetch-mode'] !== 'navigate' || !linkable.test(raw.url ?? '')
}

/**
 * True for a local program without a checked credential. In team mode that means public routes only: no
 * credential is checked there, so a page could send any.
 */
function isTrustedLocally({ headers, routeOptions, raw }: GuardedRequest, mode: AuthMode): boolean {
  if (!isLoopback(raw.socket.remoteAddress ?? '')) return false
  const isLookedAt = mode !== 'local' && routeOptions.config?.endpoint?.permission !== 'public'
  return headers.authorization === undefined || !isLookedAt
}

const validHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu

/**
 * The host a request names, in the only form that all programs read the same way.
 * @throws AppError `forbidden_host` for several hosts or an invalid one
 */
function hostOf({ raw }: GuardedRequest): string {
  // The parsed headers contain only the first of several hosts.
  const hosts: string[] = []
  for (let at = 0; at < raw.rawHeaders.length; at += 2)
    if (isHostName(raw.rawHeaders[at])) hosts.push(raw.rawHeaders[at + 1] ?? '')
  const [host = ''] = hosts
  if (hosts.length > 1) throw forbiddenHost(`there are ${hosts.length} Host headers; send one`)
  if (!validHost.test(host))
    throw forbiddenHost(`Host ${quoted(host)} is not a valid host and port; send one such as 127.0.0.1:3850`)
  const [, named] = /^[a-z][\w+.-]*:\/\/([^/?#]*)/iu.exec(raw.url ?? '') ?? []
  if (named !== undefined && named.toLowerCase() !== host.toLowerCase())
    throw forbiddenHost(`the address names ${quoted(named)}, but Host is ${quoted(host)}; send only the path`)
  return host
}

function isHostName(header: string | undefined): boolean {
  return header?.length === 4 && header.toLowerCase() === 'host'
}

function forbiddenHost(message: string): AppError {
  return new AppError('forbidden_host', message)
}

/** True for a page served by this service under any of its names; a team's proxy serves it over TLS. */
function isOwnOrigin(
  origin: string,
  host: string,
  { mode, port, publicUrl }: { mode: AuthMode; port: number | undefined; publicUrl: string | undefined },
): boolean {
  if (mode !== 'local' && origin === publicUrl) return true
  if (ownNames.some(name => origin === `http://${name}:${port}`)) return true
  try {
    const { host: ownHost, protocol } = new URL(origin)
    return ownHost === host.toLowerCase() && (protocol === 'http:' || mode === 'team')
  } catch {
    return false
  }
}

const ownNames = ['127.0.0.1', 'localhost', '[::1]']

function hostName(host: string): string {
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':')[0] ?? '')
}
