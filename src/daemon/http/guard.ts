import type { FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors.js'
import { quoted } from '../../lib/clip.js'
import type { AuthMode } from '../auth/auth.js'
import { isLoopback } from '../auth/loopback.js'

/**
 * Keeps web pages out (contract, browser safety): a page that a browser was lured to shows its own Origin, and one
 * that rebinds its name to 127.0.0.1 shows its own Host.
 * @throws AppError `forbidden_host` or `forbidden_origin`
 */
export function guardBrowser(
  request: Pick<FastifyRequest, 'headers' | 'routeOptions'>,
  { boundHost, mode }: { boundHost: string; mode: AuthMode },
): void {
  const { host, origin } = request.headers
  // In team mode a proxy on this machine passes its public name on, and a credential is needed anyway; MCP asks for
  // the check in every mode.
  const checksHost = mode !== 'team' || request.routeOptions.url === '/mcp'
  if (checksHost && isLoopback(boundHost) && host !== undefined && !isLoopback(hostName(host)))
    throw new AppError(
      'forbidden_host',
      `Host ${quoted(host)} is not this machine; use 127.0.0.1 or localhost`,
    )
  if (origin === undefined) return
  if (!isOwnOrigin(origin, host, mode))
    throw new AppError('forbidden_origin', `Origin ${quoted(origin)} may not use this service`)
}

/** Only a page that this service itself served; a team's proxy serves it over TLS. */
function isOwnOrigin(origin: string, host: string | undefined, mode: AuthMode): boolean {
  try {
    const { host: ownHost, protocol } = new URL(origin)
    return ownHost === host?.toLowerCase() && (protocol === 'http:' || mode === 'team')
  } catch {
    return false
  }
}

function hostName(host: string): string {
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':')[0] ?? '')
}
