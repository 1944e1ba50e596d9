import { isIP } from 'node:net'

/** True for localhost and every loopback address, IPv4 in IPv6 included. */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/gu, '')
    .replace(/^::ffff:/iu, '')
    .toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** Whether what is sent to an address can be read on its way. */
export function isInTheClear({ protocol, hostname }: URL): boolean {
  return protocol !== 'https:' && !isLoopback(hostname)
}
