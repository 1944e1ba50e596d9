import { ClientError } from '../client/client-error.js'
import type { HttpReply } from '../client/http.js'
import { type HttpMessage, sendOver } from '../client/message.js'
import { within } from '../lib/concurrency/within.js'
import { daemonHeaders, toolTimeoutMs } from './daemon-headers.js'
import type { Call } from './tool/tool.js'

/**
 * Calls the daemon without a socket, for the server that runs inside it.
 * @param exchange serves one request on behalf of its client; a rejection means that the daemon takes none.
 * @throws ClientError; `timeout` after `timeoutMs`, `daemon_unavailable` when `exchange` fails.
 */
export function callOver(
  exchange: (message: HttpMessage) => Promise<HttpReply>,
  timeoutMs = toolTimeoutMs,
): Call {
  return (address, request = {}) =>
    sendOver(address, request, { ...daemonHeaders }, message =>
      within(exchange(message).catch(refuse), timeoutMs, () => tooSlow(address, timeoutMs)),
    )
}

function refuse(cause: unknown): never {
  throw new ClientError('the daemon is stopping', {
    code: 'daemon_unavailable',
    nextSteps: ['memory daemon start'],
    cause,
  })
}

function tooSlow(address: string, timeoutMs: number): ClientError {
  return new ClientError(`no answer to ${address} within ${timeoutMs / 1000} s`, { code: 'timeout' })
}
