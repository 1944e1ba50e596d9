import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import type { Ground } from '../../ground/ground.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Headers that proxies add and programs on this machine don't. */
export const proxyHeaders: readonly string[] = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** The parts of a request that show its origin. */
export type RequestOrigin = Pick<IncomingMessage, 'headers' | 'socket'> & Pick<FastifyRequest, 'access'>

/**
 * Refuses callers elsewhere on routes that equal a shell of the daemon's user or give out all secrets: a
 * stolen admin credential must not suffice for either (security.md).
 * @throws AppError `forbidden`
 */
export function assertMayRunPrograms(
  deps: Pick<Ground, 'configuration'>,
  { runsPrograms = false, givesSecrets = false }: EndpointShape,
  { caller, body }: { caller: Pick<Caller, 'peer' | 'forwarded'>; body: unknown },
): void {
  const isShell = typeof runsPrograms === 'function' ? runsPrograms(body as never) : runsPrograms
  if (!(isShell || givesSecrets) || countsAsHere(deps, caller)) return
  const what = isShell ? 'runs programs on' : 'gives out all secrets of'
  throw new AppError(
    'forbidden',
    `this ${what} the machine of the daemon, so only callers on that machine may do it; to allow it to administrators elsewhere, set there: memory config set auth.remoteAdminMayRun true`,
  )
}

/** True for callers on this machine, and for all while `auth.remoteAdminMayRun` is on (permissions.md). */
export function countsAsHere(
  { configuration }: Pick<Ground, 'configuration'>,
  caller: Pick<Caller, 'peer' | 'forwarded'>,
): boolean {
  return isOnThisMachine(caller) || configuration().settings.auth.remoteAdminMayRun
}

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

/** The unit that limits apply to: one IPv6 customer has a whole /64, and 127.0.0.0/8 is this machine. */
export function networkOf(address: string): string {
  if (isLoopback(address)) return 'this machine'
  if (!address.includes(':') || address.includes('.')) return address
  const [before = [], after = []] = address.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
