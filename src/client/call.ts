import type { Address, Reply, Request } from '../contract/api.js'
import { version } from '../lib/version.js'
import { ClientError } from './client-error.js'
import { exchange, type HttpReply } from './http.js'
import { locate } from './locate.js'
import { sendOver } from './message.js'
import { formatOrigin, type Origin } from './origin.js'
import { headersOf } from './request-headers.js'

export interface CallOptions {
  /** Folder of the workspace; `SERVICE_WORKSPACE` or the default when absent. */
  workspace?: string
  /** Sent as `x-service-agent-id`. */
  agent?: string
  /** Gives the credential to send instead of SERVICE_API_KEY; asked once the daemon is there. */
  credential?: () => string | undefined
  /** Sent as they are; a credential and the agent come on top. */
  headers?: Record<string, string>
  /** Whole exchange, without the time a daemon needs to start. */
  timeoutMs?: number
  /** Gives the call up; it rejects with an AbortError. */
  signal?: AbortSignal
  /** Start or replace a daemon when needed; false fails with `daemon_not_started` instead. */
  autostart?: boolean
  /** Told what the caller waits for, for example `starting the daemon`. */
  onWait?: (what: string) => void
}

const defaultTimeoutMs = 30_000

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

/**
 * Sends one request to a known daemon.
 * @throws ClientError; `daemon_unavailable` when nothing listens there, `foreign_process` when the answer is not the daemon's.
 */
export async function send<A extends Address>(
  origin: Origin,
  address: A,
  request: Request<A>,
  options: Pick<CallOptions, 'agent' | 'credential' | 'timeoutMs' | 'headers' | 'signal'> = {},
): Promise<Reply<A>> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  return sendOver(address, request, headersOf(options), async message => {
    const reply = await exchange(origin, { ...message, timeoutMs, signal: options.signal }).catch(error => {
      throw connectionError(origin, error as Error)
    })
    // Every reply of the daemon has a request id; without one somebody else answers on its port.
    if (typeof reply.headers['x-request-id'] !== 'string') throw foreignAnswer(origin, reply)
    return reply
  })
}

export function foreignAnswer(origin: Origin, { status }: Pick<HttpReply, 'status'>): ClientError {
  return new ClientError(
    `${formatOrigin(origin)} answered ${status}, but not as a memory-service daemon does`,
    {
      code: 'foreign_process',
      status,
      nextSteps: ['memory daemon status', 'SERVICE_PORT=3851 memory daemon start'],
    },
  )
}

export function connectionError(origin: Origin, error: Error): Error {
  if (error instanceof ClientError || error.name === 'AbortError') return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new ClientError(`${formatOrigin(origin)} dropped the connection before it answered`, {
      code: 'connection_lost',
      nextSteps: ['Check whether the change was made before you repeat it', 'memory daemon logs'],
      cause: error,
    })
  }
  return new ClientError(`no daemon answers at ${formatOrigin(origin)} (${code ?? error.message})`, {
    code: 'daemon_unavailable',
    nextSteps: ['memory daemon status'],
    cause: error,
  })
}

function isRefused(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'daemon_unavailable'
}

function isStarting(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'starting'
}
