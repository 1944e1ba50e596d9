import type { Address, Reply, Request } from '../contract/api.js'
import { version } from '../lib/version.js'
import type { CallOptions } from './call-options.js'
import { ClientError } from './client-error.js'
import { locate } from './locate.js'
import { send } from './send.js'

/**
 * Calls one endpoint of the workspace's daemon, which is started when it is not running.
 *
 * The common path is one file read and one request: a daemon of our version that is alive is asked directly.
 * @throws ClientError with the daemon's code and status, or one of `clientCodes`.
 */
export async function call<A extends Address>(
  address: A,
  request: Request<A> = {},
  options: CallOptions = {},
): Promise<Reply<A>> {
  const location = locate(options.workspace)
  if (location.kind === 'remote') return send(location.origin, address, request, options)
  if (location.kind === 'registered' && location.registration.version === version) {
    try {
      return await send(location.origin, address, request, options)
    } catch (error) {
      // Nothing of the request was taken in either case, so it is safe to send it again.
      if (!isRefused(error) && !isStarting(error)) throw error
    }
  }
  const { ensureDaemon } = await import('./ensure-daemon.js')
  return send(await ensureDaemon(options), address, request, options)
}

function isRefused(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'daemon_unavailable'
}

function isStarting(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'starting'
}
