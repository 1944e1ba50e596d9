import type { IncomingHttpHeaders } from 'node:http'
import { permissions } from '../../../contract/ground/endpoint.js'
import { rolePermissions } from '../../../contract/platform/roles.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import type { Auth } from './auth.js'

/** Paths of OAuth's metadata (RFC 9728, RFC 8414). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** Scopes that a client gets without asking for others: work with memories and documents. */
export const usualScopes = rolePermissions.agent

/** All scopes: the permissions under their own names. */
export const allScopes: readonly string[] = permissions

/** The parts of `Auth` that tell where OAuth is offered. */
export type OauthAuth = Pick<Auth, 'mode' | 'settings'>

/**
 * The address that a client used, under which the daemon is a resource of OAuth: `auth.publicUrl`, or this
 * machine's own. Other names need the setting, because the daemon cannot tell them from invented ones.
 */
export function publicAddress(
  { publicUrl }: Pick<AuthSettings, 'publicUrl'>,
  { host = '' }: Pick<IncomingHttpHeaders, 'host'>,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined
  return url && isLoopback(url.hostname) ? url.origin : undefined
}

/** The names of the daemon as a resource: all of it, and `/mcp`. */
export function resourcesOf(address: string): string[] {
  return [address, `${address}/`, `${address}/mcp`]
}

/** Returns the issuer of tokens for an address; undefined where nobody logs in over OAuth. */
export function issuerFor({ mode, settings }: OauthAuth, address: string | undefined): string | undefined {
  if (mode() === 'local' || address === undefined) return undefined
  const { oidc, oauth } = settings()
  return oidc.issuer ?? (oauth.enabled ? address : undefined)
}

/** The header `www-authenticate` of a refused request, which leads clients to the login. */
export function challengeFor(
  auth: OauthAuth,
  { headers, url = '' }: { headers: IncomingHttpHeaders; url?: string | undefined },
  fault?: { error: 'invalid_token' | 'insufficient_scope'; scopes?: readonly string[] },
): string {
  const address = publicAddress(auth.settings(), headers)
  if (issuerFor(auth, address) === undefined) return 'Bearer'
  const path = /^\/mcp(?:$|\?)/u.test(url) ? '/mcp' : ''
  const fields = {
    ...(fault && { error: fault.error }),
    scope: (fault?.scopes ?? usualScopes).join(' '),
    resource_metadata: `${address}${resourceMetadataPath}${path}`,
  }
  const texts = Object.entries(fields).map(([name, value]) => `${name}="${value}"`)
  return `Bearer ${texts.join(', ')}`
}
