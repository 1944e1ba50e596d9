/**
 * The client: how a program on this machine finds, starts and calls the daemon of a workspace.
 *
 * `call` below is what commands, MCP tools and screens use. It reads the registration file of the daemon,
 * sends one HTTP request and returns the typed reply. It starts a daemon if none is running. Data goes out
 * as JSON over a socket to 127.0.0.1, or to the daemon that `SERVICE_DAEMON_URL` names. It prints nothing
 * and knows no flags: faults are thrown as `ClientError`, and `src/cli` turns them into text.
 */

import type { Address, Reply, Request } from '../contract/api.js'
import { version } from '../lib/workspace/version.js'
import { locate } from './daemon/locate.js'
import type { CallOptions } from './http/call-options.js'
import { ClientError } from './http/client-error.js'
import { send } from './http/send.js'

/**
 * Calls one endpoint of the workspace's daemon, and starts the daemon if it is not running. The common path
 * costs one file read and one request: a live daemon of our version is called directly.
 * @throws ClientError with the daemon's code and status, or one of the client's own codes.
 */
export async function call<A extends Address>(
  address: A,
  request: Request<A> = {},
  options: CallOptions = {},
): Promise<Reply<A>> {
  const location = locate(options.workspace)
  if (location.kind === 'remote') {
    const { withLogin } = await import('./login/saved-login.js')
    return send(location.origin, address, request, await withLogin(location.origin, options))
  }
  if (location.kind === 'registered' && location.registration.version === version) {
    try {
      return await send(location.origin, address, request, options)
    } catch (error) {
      if (!mayRetry(address, error)) throw error
    }
  }
  const { ensureDaemon } = await import('./daemon/ensure-daemon.js')
  return send(await ensureDaemon(options), address, request, options)
}

/** Returns true if the daemon has not processed the request, or if the request only reads. */
function mayRetry(address: Address, error: unknown): boolean {
  if (!(error instanceof ClientError)) return false
  if (error.code === 'connection_lost') return address.startsWith('GET ') || address === recall
  return error.code === 'daemon_unavailable' || error.code === 'starting'
}

/** A read request that needs a body. */
const recall: Address = 'POST /api/memory/recall'
