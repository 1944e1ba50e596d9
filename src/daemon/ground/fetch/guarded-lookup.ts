import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A system lookup with `all`. */
type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void

const resolveBySystem: Resolve = (host, done) => systemLookup(host, { all: true }, done)

/** Permission to reach private hosts, and the key of agent.yaml that decides it. */
export interface PrivateHosts {
  allowed: boolean
  setting: string
}

/**
 * Resolves names for connections and refuses a name if any of its addresses is not public. The connection
 * uses the address checked here, so DNS rebinding has no effect.
 */
export function guardedLookup(hosts: PrivateHosts, resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, { all }, done) =>
    resolve(host, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !hosts.allowed && !isPublicAddress(address))
      const [first] = addresses ?? []
      if (error) done(error, '')
      else if (refused) done(privateHost(`${host} resolves to ${refused.address}`, hosts), '')
      else if (!first) done(new FetchFault(`${host} has no address`), '')
      else if (all) done(null, addresses)
      else done(null, first.address, first.family)
    })
}

/**
 * Checks literal IP hosts, for which no lookup happens.
 * @throws FetchFault for an address that is not public.
 */
export function assertPublicHost(url: URL, hosts: PrivateHosts): void {
  const literal = literalHost(url)
  if (!hosts.allowed && literal !== undefined && !isPublicAddress(literal)) throw privateHost(literal, hosts)
}

function privateHost(what: string, { setting }: PrivateHosts): FetchFault {
  return new FetchFault(
    `${what}: that is this machine or a private network; allow it with ${setting} in agent.yaml`,
  )
}

/**
 * True if an address is public: not loopback, private, link-local, shared, multicast or reserved, nor an IPv4
 * address hidden in IPv6 (NAT64, 6to4, Teredo). Cloud metadata servers with credentials are link-local.
 * @param address literal IPv4 or IPv6, without brackets
 */
export function isPublicAddress(address: string): boolean {
  // Drops the zone of a link-local address, `%eth0`.
  const [bare = ''] = address.split('%')
  if (!ipaddr.isValid(bare)) return false
  const parsed = ipaddr.process(bare)
  // Of IPv6 only 2000::/3 is given out: elsewhere is `::127.0.0.1`.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.toByteArray()[0]! >> 5 === 1)
}

/** The literal IP address in a URL's host, without brackets; undefined for a name. */
export function literalHost({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/gu, '')
  return ipaddr.isValid(bare) ? bare : undefined
}

/** Why an address could not be fetched, in words for the user. */
export class FetchFault extends Error {
  /** True if another attempt may succeed. */
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'FetchFault'
    this.isPassing = options.isPassing ?? false
  }
}

/** Returns the fault inside a connection error: undici wraps errors of the guarded lookup. */
export function fetchFaultIn(error: unknown): FetchFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof FetchFault) return cause
  return undefined
}
