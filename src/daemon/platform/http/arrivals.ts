import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** How long the whole of a request may take to arrive, and how long a body that may take longer may pause. */
export interface ArrivalLimits {
  wholeMs: number
  pauseMs: number
}

export interface Arrivals {
  /** From now on a request is cut off for its pauses alone: its body is taken as it comes, however long that takes. */
  mayTakeLong(request: IncomingMessage): void
}

const arrivalLimits: ArrivalLimits = { wholeMs: 120_000, pauseMs: 60_000 }

/**
 * Cuts off clients that take too long to send a request, as `clientError` with the code of node's own limit
 * (security.md#limits). That one knows a single time for all requests: it has to be off. Headers are left to node.
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
      // Bytes that wait for us are no pause of the client.
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
