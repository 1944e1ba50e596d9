import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../../lib/is-loopback.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Proxies add one of these to what they pass on; programs of this machine have no reason to. */
export const headersOfProxies: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** Whether a proxy passed a request on: whoever sent it may be anywhere, whatever the TCP peer is. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headersOfProxies.some(name => headers[name] !== undefined)
}

/** Whether a caller may name paths of this machine: it runs here, or is the daemon itself. */
export function isOnThisMachine({ peer, forwarded }: Pick<Caller, 'peer' | 'forwarded'>): boolean {
  return !forwarded && (peer === undefined || isLoopback(peer))
}
