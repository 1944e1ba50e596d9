import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { FetchFault } from './fetch-fault.js'
import { isPublicAddress } from './public-address.js'

/** What a system lookup answers with `all`. */
type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void

const resolveBySystem: Resolve = (host, done) => systemLookup(host, { all: true }, done)

/**
 * Resolves names for connections, and refuses a name of which any address is none of the open network. The connection
 * goes to what was looked at here: a name that answers another address the next time gains nothing.
 */
export function guardedLookup(allowPrivate: boolean, resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, { all }, done) =>
    resolve(host, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !allowPrivate && !isPublicAddress(address))
      const [first] = addresses ?? []
      if (error) done(error, '')
      else if (refused) done(privateHost(`${host} leads to ${refused.address}`), '')
      else if (!first) done(new FetchFault(`${host} has no address`), '')
      else if (all) done(null, addresses)
      else done(null, first.address, first.family)
    })
}

/** The refusal of an address that is no part of the open network. */
export function privateHost(what: string): FetchFault {
  return new FetchFault(
    `${what}, which is this machine or a private network; documents.allowPrivateHosts in agent.yaml allows that`,
  )
}
