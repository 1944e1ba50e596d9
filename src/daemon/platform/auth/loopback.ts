import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Headers that proxies add and programs on this machine don't. */
export const proxyHeaders: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** The parts of a request that show its origin. */
export type RequestOrigin = Pick<IncomingMessage, 'headers' | 'socket'> & Pick<FastifyRequest, 'access'>

/** The sender's address. A forwarded request may come from anywhere, whatever its peer. */
export function peerOf({ headers, socket, access }: RequestOrigin): { peer: string; forwarded: boolean } {
  return {
    peer: socket.remoteAddress ?? addressAfterClose(socket, access),
    forwarded: proxyHeaders.some(name => headers[name] !== undefined),
  }
}

/**
 * A closed connection has no address. A missing one would count as the daemon itself, so a non-local address
 * is returned. An open request received on a loopback address came from this machine: an ending agent doesn't
 * wait for the answer.
 */
function addressAfterClose(
  { localAddress = '' }: IncomingMessage['socket'],
  access: RequestOrigin['access'],
): string {
  return access?.credential === 'none' && isLoopback(localAddress) ? localAddress : '0.0.0.0'
}

/** True for callers that may name paths of this machine: they run on it, or are the daemon itself. */
export function isOnThisMachine({ peer, forwarded }: Pick<Caller, 'peer' | 'forwarded'>): boolean {
  return !forwarded && (peer === undefined || isLoopback(peer))
}
