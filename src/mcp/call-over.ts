import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClientError } from '../client/http/client-error.js'
import { type HttpMessage, sendOver } from '../client/http/message.js'
import type { HttpReply } from '../client/http/plain-reply.js'
import { mcpActor } from '../contract/ground/wire-names.js'
import { oneAtATime } from '../lib/concurrency/one-at-a-time.js'
import { within } from '../lib/concurrency/stop-waiting.js'
import type { Call } from './tool/tool.js'

/**
 * A request older than this starts no further call, because it occupies one of the few slots for requests.
 */
const beginWithinMs = 60_000

/** Headers that identify the tools to the daemon (mcp.md 4.9). */
export const daemonHeaders: Readonly<Record<string, string>> = {
  'x-service-runtime-path': 'plugin',
  'x-service-actor': mcpActor,
  'x-service-actor-type': 'harness',
}

/** Time limit of a tool's request to the daemon (mcp.md 8). */
export const toolTimeoutMs = 10_000

/**
 * Calls the daemon without a socket, for the server inside the daemon.
 * @param exchange serves one request on behalf of its client; a rejection means that the daemon accepts none.
 * @throws ClientError; `timeout` after `timeoutMs`, `daemon_unavailable` if `exchange` fails.
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

/**
 * Runs the calls of one request one after another, each in its own turn of the event loop. Otherwise the
 * hundred calls of a batch would delay all other clients until the last is answered (mcp.md 4.9).
 * @param gone aborts when the client is gone; calls that have not started are rejected then.
 */
export function inTurns(call: Call, gone: AbortSignal, now = () => performance.now()): Call {
  const inLine = oneAtATime()
  const started = now()
  return (address, request) =>
    inLine(async () => {
      await nextTurn()
      if (gone.aborted) throw new ClientError('the client has disconnected', { code: 'connection_lost' })
      if (now() - started > beginWithinMs)
        throw new ClientError(
          `the earlier calls of the batch took ${beginWithinMs / 1000} s: send this one again`,
          {
            code: 'timeout',
          },
        )
      const reply = await call(address, request)
      await nextTurn()
      return reply
    })
}
