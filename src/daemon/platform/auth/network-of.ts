import { isLoopback } from '../../../lib/network/is-loopback.js'

/** Where a request comes from, as far as limits go: one IPv6 customer has a whole /64, this machine all of 127.0.0.0/8. */
export function networkOf(address: string): string {
  if (isLoopback(address)) return 'this machine'
  if (!address.includes(':') || address.includes('.')) return address
  const [before = [], after = []] = address.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
