import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** Time limits: for a whole request to arrive, and for a pause within a long body. */
export interface ArrivalLimits {
  wholeMs: number
  pauseMs: number
}

export interface Arrivals {
  /** Limits a request only by its pauses from now on, because its body may take any time. */
  mayTakeLong(request: IncomingMessage): void
}

const arrivalLimits: ArrivalLimits = { wholeMs: 120_000, pauseMs: 60_000 }

/**
 * Cuts off slow senders with `clientError` and the code of Node's own limit (security.md#limits). Node has
 * only one limit for all requests, so that one must be off. Headers are left to Node.
 */
export function boundArrivals(
  server: Pick<Server, 'on' | 'emit'>,
  limits = arrivalLimits,
  timers: Timers = systemTimers,
): Arrivals {
  const long = new WeakSet<IncomingMessage>()

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    let cancel = timers.after(limits.wholeMs, () => onLook())
    response.once('close', () => cancel())

    function onLook(seen?: number): void {
      if (request.complete) return
      const { bytesRead } = request.socket
      // Bytes that wait for us are not a pause of the client.
      const goesOn = bytesRead !== seen || request.readableLength > 0
      if (!long.has(request) || !goesOn) cutOff(request)
      else cancel = timers.after(limits.pauseMs, () => onLook(bytesRead))
    }
  })

  function cutOff({ socket }: IncomingMessage): void {
    const error = new Error('the request took too long to arrive')
    server.emit('clientError', Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  }

  return { mayTakeLong: request => void long.add(request) }
}
