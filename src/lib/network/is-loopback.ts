import { isIP } from 'node:net'

/** Returns true for localhost and every loopback address, including IPv4 in IPv6. */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/gu, '')
    .replace(/^::ffff:/iu, '')
    .toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** Returns true if data sent to the address can be read in transit. */
export function isInTheClear({ protocol, hostname }: URL): boolean {
  return protocol !== 'https:' && !isLoopback(hostname)
}
