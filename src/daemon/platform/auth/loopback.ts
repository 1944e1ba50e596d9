import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../../../lib/is-loopback.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Proxies add one of these to what they pass on; programs of this machine have no reason to. */
export const headersOfProxies: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/**
 * Who sent a request. Once it closed the connection it has no address; without one it would count as the service itself,
 * so that it gets one that is not local. What a proxy passed on may come from anywhere, whatever the peer is.
 */
export function peerOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): {
  peer: string
  forwarded: boolean
} {
  return {
    peer: socket.remoteAddress ?? '0.0.0.0',
    forwarded: headersOfProxies.some(name => headers[name] !== undefined),
  }
}

/** Whether a caller may name paths of this machine: it runs here, or is the daemon itself. */
export function isOnThisMachine({ peer, forwarded }: Pick<Caller, 'peer' | 'forwarded'>): boolean {
  return !forwarded && (peer === undefined || isLoopback(peer))
}
