/**
 * Appends a path to a configured base URL, unless the URL already ends with it; the query string (an API
 * version) remains. Returns undefined for a URL with user name or password, which have settings of their own.
 */
export function addressBelow(baseUrl: string, path: string): URL | undefined {
  const url = new URL(baseUrl)
  if (url.username || url.password) return undefined
  const base = url.pathname.replace(/(?<!\/)\/+$/u, '')
  if (!base.endsWith(path)) url.pathname = base + path
  return url
}

/** The addresses of an issuer's metadata: OpenID Connect appends its path, OAuth inserts it (RFC 8414). */
export function metadataAddresses(issuer: string): { openId: string; oauth: string } {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/u, '')
  return {
    openId: `${origin}${path}/.well-known/openid-configuration`,
    oauth: `${origin}/.well-known/oauth-authorization-server${path}`,
  }
}
