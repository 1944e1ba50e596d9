import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { FetchFault } from './fetch-fault.js'

/** What a system lookup answers with `all`. */
type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void

const resolveBySystem: Resolve = (host, done) => systemLookup(host, { all: true }, done)

/** Whether this machine and private networks may be reached, and by which key of agent.yaml that is decided. */
export interface PrivateHosts {
  allowed: boolean
  setting: string
}

/**
 * Resolves names for connections, and refuses a name of which any address is none of the open network. The connection
 * goes to what was looked at here: a name that answers another address the next time gains nothing.
 */
export function guardedLookup(hosts: PrivateHosts, resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, { all }, done) =>
    resolve(host, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !hosts.allowed && !isPublicAddress(address))
      const [first] = addresses ?? []
      if (error) done(error, '')
      else if (refused) done(privateHost(`${host} leads to ${refused.address}`, hosts), '')
      else if (!first) done(new FetchFault(`${host} has no address`), '')
      else if (all) done(null, addresses)
      else done(null, first.address, first.family)
    })
}

/**
 * The number that a URL names as its host never comes to a lookup: it is looked at before.
 * @throws FetchFault for one that is no part of the open network.
 */
export function assertPublicHost(url: URL, hosts: PrivateHosts): void {
  const literal = literalHost(url)
  if (!hosts.allowed && literal !== undefined && !isPublicAddress(literal)) throw privateHost(literal, hosts)
}

function privateHost(what: string, { setting }: PrivateHosts): FetchFault {
  return new FetchFault(
    `${what}: that is this machine or a private network; ${setting} in agent.yaml allows it`,
  )
}

/**
 * Whether an address is one of the open network: no loopback, private, link-local, shared, multicast or reserved one,
 * nor one that hides an IPv4 address in IPv6 (NAT64, 6to4, Teredo). Where a cloud keeps its credentials is link-local.
 * @param address literal IPv4 or IPv6, without brackets
 */
export function isPublicAddress(address: string): boolean {
  // The zone of a link-local address, `%eth0`.
  const [bare = ''] = address.split('%')
  if (!ipaddr.isValid(bare)) return false
  const parsed = ipaddr.process(bare)
  // Of IPv6 only 2000::/3 is given out: elsewhere is `::127.0.0.1`.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.toByteArray()[0]! >> 5 === 1)
}

/** The literal address that a URL names as its host, without brackets; undefined for a name. */
export function literalHost({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/gu, '')
  return ipaddr.isValid(bare) ? bare : undefined
}
