import { isLoopback } from '../../../lib/network/is-loopback.js'

/** The unit that limits apply to: one IPv6 customer has a whole /64, and 127.0.0.0/8 is this machine. */
export function networkOf(address: string): string {
  if (isLoopback(address)) return 'this machine'
  if (!address.includes(':') || address.includes('.')) return address
  const [before = [], after = []] = address.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
