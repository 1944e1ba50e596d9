import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClientError } from '../client/client-error.js'
import { oneAtATime } from '../lib/concurrency/one-at-a-time.js'
import type { Call } from './tool/tool.js'

/** A request that has taken so long begins no further call: it keeps one of the few places in flight. */
const beginWithinMs = 60_000

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
