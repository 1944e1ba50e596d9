import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClientError } from '../client/client-error.js'
import { oneAtATime } from '../lib/one-at-a-time.js'
import type { Call } from './tool/tool.js'

/**
 * Calls of one request one after the other, each in a turn of its own: the hundred of a batch would hold up everybody
 * else until the last is answered (mcp.md 4.9).
 * @param gone aborts when nobody waits for them any more: those that were not begun are refused then.
 */
export function inTurns(call: Call, gone: AbortSignal): Call {
  const inLine = oneAtATime()
  return (address, request) =>
    inLine(async () => {
      await nextTurn()
      if (gone.aborted) throw new ClientError('the client has gone', { code: 'connection_lost' })
      const reply = await call(address, request)
      await nextTurn()
      return reply
    })
}
