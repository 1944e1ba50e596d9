import ipaddr from 'ipaddr.js'

/**
 * Whether an address is one of the open network: no loopback, private, link-local, shared, multicast or reserved one,
 * nor one that hides an IPv4 address in IPv6 (NAT64, 6to4, Teredo). Where a cloud keeps its credentials is link-local.
 * @param address literal IPv4 or IPv6, without brackets
 */
export function isPublicAddress(address: string): boolean {
  // The zone of a link-local address, `%eth0`.
  const [bare = ''] = address.split('%')
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'unicast'
}

/** The literal address that a URL names as its host, without brackets; undefined for a name. */
export function literalHost({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/gu, '')
  return ipaddr.isValid(bare) ? bare : undefined
}
