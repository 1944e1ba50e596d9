import type { Address, Reply, Request } from '../../contract/api.js'
import { withVariable } from '../../lib/text/shell-words.js'
import { type CallOptions, headersOf } from './call-options.js'
import { ClientError } from './client-error.js'
import { exchange } from './exchange.js'
import { afterHeaders, noteChange } from './known-change.js'
import { sendOver } from './message.js'
import { formatOrigin, type Origin } from './origin.js'
import type { HttpReply } from './plain-reply.js'

const defaultTimeoutMs = 30_000

/**
 * Sends one request to a known daemon. A request signed by the owner is repeated once if it is rejected,
 * because a daemon whose secret was deleted has created a new one by then.
 * @throws ClientError; `daemon_unavailable` if nothing listens there, `foreign_process` if another program
 * answers.
 */
export async function send<A extends Address>(
  origin: Origin,
  address: A,
  request: Request<A>,
  options: Pick<
    CallOptions,
    'agent' | 'credential' | 'login' | 'timeoutMs' | 'headers' | 'signal' | 'workspace'
  > = {},
): Promise<Reply<A>> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  const { workspace } = options
  const headers = () => ({ ...headersOf(options), ...afterHeaders(origin, workspace) })
  const ask = () =>
    sendOver(address, request, headers(), async message => {
      const reply = await exchange(origin, { ...message, timeoutMs, signal: options.signal }).catch(error => {
        throw connectionError(origin, error as Error)
      })
      // Every reply of the daemon has a request id; a reply without one comes from another program on its
      // port.
      if (typeof reply.headers['x-request-id'] !== 'string') throw foreignAnswer(origin, reply)
      noteChange(origin, workspace, reply.headers)
      return reply
    })
  try {
    return await ask()
  } catch (error) {
    if (options.credential && isRefused(error)) return ask()
    throw error
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 401 || error.status === 403)
}

export function foreignAnswer(origin: Origin, { status }: Pick<HttpReply, 'status'>): ClientError {
  return new ClientError(`${formatOrigin(origin)} answered ${status}, but is not a memory-service daemon`, {
    code: 'foreign_process',
    status,
    nextSteps: ['memory daemon status', withVariable('SERVICE_PORT', 3851, 'memory daemon start')],
  })
}

export function connectionError(origin: Origin, error: Error): Error {
  if (error instanceof ClientError || error.name === 'AbortError') return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new ClientError(`${formatOrigin(origin)} closed the connection without an answer`, {
      code: 'connection_lost',
      nextSteps: ['Before you repeat it, check if the change was made', 'memory daemon logs'],
      cause: error,
    })
  }
  return new ClientError(`no daemon answers at ${formatOrigin(origin)} (${code ?? error.message})`, {
    code: 'daemon_unavailable',
    nextSteps: ['memory daemon status'],
    cause: error,
  })
}
