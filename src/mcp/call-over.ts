import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClientError } from '../client/http/client-error.js'
import { type HttpMessage, sendOver } from '../client/http/message.js'
import type { HttpReply } from '../client/http/node-exchange.js'
import { mcpActor } from '../contract/mcp/actor.js'
import { oneAtATime } from '../lib/concurrency/one-at-a-time.js'
import { within } from '../lib/concurrency/within.js'
import type { Call } from './tool/tool.js'

/** A request that has taken so long begins no further call: it keeps one of the few places in flight. */
const beginWithinMs = 60_000

/** How tools introduce themselves to the daemon (mcp.md 4.9). */
export const daemonHeaders: Readonly<Record<string, string>> = {
  'x-service-runtime-path': 'plugin',
  'x-service-actor': mcpActor,
  'x-service-actor-type': 'harness',
}

/** A tool's request to the daemon may take this long (mcp.md 8). */
export const toolTimeoutMs = 10_000

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

/**
 * Calls of one request one after the other, each in a turn of its own: the hundred of a batch would hold up everybody
 * else until the last is answered (mcp.md 4.9).
 * @param gone aborts when nobody waits for them any more: those that were not begun are refused then.
 */
export function inTurns(call: Call, gone: AbortSignal, now = () => performance.now()): Call {
  const inLine = oneAtATime()
  const started = now()
  return (address, request) =>
    inLine(async () => {
      await nextTurn()
      if (gone.aborted) throw new ClientError('the client has gone', { code: 'connection_lost' })
      if (now() - started > beginWithinMs)
        throw new ClientError(
          `the calls before it in the batch took ${beginWithinMs / 1000} s: send it again`,
          {
            code: 'timeout',
          },
        )
      const reply = await call(address, request)
      await nextTurn()
      return reply
    })
}
