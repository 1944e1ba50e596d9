import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Proxies add one of these to what they pass on; programs of this machine have no reason to. */
export const headersOfProxies: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** A request as far as it tells where it came from. */
export type Sent = Pick<IncomingMessage, 'headers' | 'socket'> & Pick<FastifyRequest, 'access'>

/** Who sent a request. What a proxy passed on may come from anywhere, whatever the peer is. */
export function peerOf({ headers, socket, access }: Sent): { peer: string; forwarded: boolean } {
  return {
    peer: socket.remoteAddress ?? addressOfGone(socket, access),
    forwarded: headersOfProxies.some(name => headers[name] !== undefined),
  }
}

/**
 * Once a client closed its connection it has no address; without one it would count as the service itself, so that it
 * gets one that is not local. One that needs no credential, on an address that leads to this machine from nowhere else,
 * was on it: an agent that ends does not wait for an answer.
 */
function addressOfGone({ localAddress = '' }: IncomingMessage['socket'], access: Sent['access']): string {
  return access?.credential === 'none' && isLoopback(localAddress) ? localAddress : '0.0.0.0'
}

/** Whether a caller may name paths of this machine: it runs here, or is the daemon itself. */
export function isOnThisMachine({ peer, forwarded }: Pick<Caller, 'peer' | 'forwarded'>): boolean {
  return !forwarded && (peer === undefined || isLoopback(peer))
}
