import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { networkOf } from '../auth/loopback.js'

/** Limits of open connections. */
export interface ConnectionLimits {
  /** In total. */
  all: number
  /** From other machines together: the rest is reserved for this machine, so that its owner gets in. */
  remote: number
  /** From one other machine. */
  peer: number
}

const connectionLimits: ConnectionLimits = { all: 2048, remote: 1024, peer: 512 }

interface Seat {
  socket: Socket
  /** The request being served; undefined while the connection is idle. */
  exchange: { request: IncomingMessage; response: ServerResponse } | undefined
  /**
   * The pools that count it, its peer's pool last. Each is ordered by the time at which connections became
   * idle.
   */
  pools: readonly Set<Seat>[]
}

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
 * Limits open connections. When a new one exceeds a limit, the longest idle connection is dropped, or the new
 * one when all others are being served. So silent connections, however many, lock nobody out.
 */
export function boundConnections(server: Pick<Server, 'on'>, limits = connectionLimits): void {
  const [own, remote] = [new Set<Seat>(), new Set<Seat>()]
  const peers = new Map<string, Set<Seat>>()
  const seats = new WeakMap<Socket, Seat>()

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const network = isLoopback(address) ? undefined : networkOf(address)
    const peer = network === undefined ? undefined : (peers.get(network) ?? new Set<Seat>())
    if (network !== undefined && peer) peers.set(network, peer)
    const seat: Seat = { socket, exchange: undefined, pools: peer ? [remote, peer] : [own] }
    seats.set(socket, seat)
    for (const pool of seat.pools) pool.add(seat)
    socket.once('close', () => {
      for (const pool of seat.pools) pool.delete(seat)
      if (network !== undefined && peer?.size === 0) peers.delete(network)
    })
    const crowded = crowdedPool(peer)
    if (crowded) (longestWaiting(crowded) ?? socket).destroy()
  })

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const seat = seats.get(request.socket)
    if (!seat) return
    const exchange = { request, response }
    seat.exchange = exchange
    response.once('close', () => {
      // With pipelining the next request may have begun before this reply was sent, so the connection is not
      // idle.
      if (seat.exchange !== exchange) return
      seat.exchange = undefined
      for (const pool of seat.pools) if (pool.delete(seat)) pool.add(seat)
    })
  })

  function crowdedPool(peer: Set<Seat> | undefined): Set<Seat> | undefined {
    if (peer && peer.size > limits.peer) return peer
    if (peer && remote.size > limits.remote) return remote
    // Remote connections are within their share, so this machine exceeds its own.
    return own.size + remote.size > limits.all ? own : undefined
  }
}

function longestWaiting(pool: Set<Seat>): Socket | undefined {
  for (const { socket, exchange } of pool) if (!isServed(exchange)) return socket
  return undefined
}

/**
 * True while the daemon works on the request. False while the request is incomplete, or the client doesn't
 * read the reply.
 */
function isServed(exchange: Seat['exchange']): boolean {
  return exchange?.request.complete === true && !exchange.response.writableEnded
}

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
