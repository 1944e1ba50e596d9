/**
 * The address of a path below a configured one, unless that ends with it already; a query string (the version of an API)
 * stays. Undefined for an address that holds a user name or password: those have settings of their own.
 */
export function addressBelow(baseUrl: string, path: string): URL | undefined {
  const url = new URL(baseUrl)
  if (url.username || url.password) return undefined
  const base = url.pathname.replace(/\/+$/u, '')
  if (!base.endsWith(path)) url.pathname = base + path
  return url
}
