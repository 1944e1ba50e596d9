import { isIP } from 'node:net'
import type { Caller } from '../../ground/visibility/caller.js'

/** True for localhost and every loopback address, IPv4 in IPv6 included. */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/gu, '')
    .replace(/^::ffff:/iu, '')
    .toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** Whether a caller may name paths of this machine: it runs here, or is the daemon itself. */
export function isOnThisMachine({ peer }: Pick<Caller, 'peer'>): boolean {
  return peer === undefined || isLoopback(peer)
}
