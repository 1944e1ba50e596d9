import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors.js'

/**
 * Keeps web pages out (contract, browser safety): a page that a browser was lured to shows its own Origin, and one
 * that rebinds its name to 127.0.0.1 shows its own Host.
 * @throws AppError `forbidden_host` or `forbidden_origin`
 */
export function guardBrowser(request: Pick<FastifyRequest, 'headers'>, boundHost: string): void {
  const { host, origin } = request.headers
  if (isLoopback(boundHost) && host !== undefined && !isLoopback(hostName(host)))
    throw new AppError(
      'forbidden_host',
      `Host ${quoted(host)} is not this machine; use 127.0.0.1 or localhost`,
    )
  if (origin === undefined) return
  if (!isOwnOrigin(origin, host))
    throw new AppError('forbidden_origin', `Origin ${quoted(origin)} may not use this service`)
}

/** True for localhost and every loopback address. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/gu, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** Only a page that this service itself served. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  try {
    const url = new URL(origin)
    return url.host === host?.toLowerCase() && url.protocol === 'http:'
  } catch {
    return false
  }
}

function hostName(host: string): string {
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':')[0] ?? '')
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 100))
}
