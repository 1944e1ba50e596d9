import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import test from 'ava'
import { boundArrivals } from '../../../../../src/daemon/platform/http/connections.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const limits = { wholeMs: 100, pauseMs: 10 }

/** A fake server with one request in transit. */
function openRequest() {
  const time = manualTime()
  const server = new EventEmitter()
  const cut: unknown[] = []
  server.on('clientError', (error: NodeJS.ErrnoException, socket: unknown) => cut.push([error.code, socket]))
  const arrivals = boundArrivals(server as unknown as Server, limits, time.timers)
  const socket = { bytesRead: 1 }
  const request = { socket, complete: false, readableLength: 0 }
  const response = new EventEmitter()
  server.emit('request', request, response)
  const takeLong = () => arrivals.mayTakeLong(request as unknown as IncomingMessage)
  return { time, cut, socket, request, response, takeLong }
}

test('a request that is incomplete after its time is cut off, even if bytes still arrive (security.md#limits)', t => {
  const { time, cut, socket } = openRequest()
  time.advance(99)
  t.deepEqual(cut, [])
  socket.bytesRead++
  time.advance(1)
  t.deepEqual(cut, [['ERR_HTTP_REQUEST_TIMEOUT', socket]])
  t.deepEqual(time.waits(), [])
})

test('a complete request may be answered at any time', t => {
  const { time, cut, request } = openRequest()
  request.complete = true
  time.advance(1000)
  t.deepEqual(cut, [])
})

test('a disconnected client leaves no timer', t => {
  const { time, response } = openRequest()
  response.emit('close')
  t.deepEqual(time.waits(), [])
})

test('a streamed body may take long, and is cut off when it pauses (security.md#limits)', t => {
  const { time, cut, socket, takeLong } = openRequest()
  takeLong()
  for (let passed = 0; passed < 1000; passed += 10) {
    socket.bytesRead++
    time.advance(10)
  }
  t.deepEqual(cut, [])
  time.advance(20)
  t.deepEqual(cut, [['ERR_HTTP_REQUEST_TIMEOUT', socket]])
})

test('a client that waits for the daemon is not cut off', t => {
  const { time, cut, request, takeLong } = openRequest()
  takeLong()
  request.readableLength = 65_536
  time.advance(500)
  t.deepEqual(cut, [])
  request.readableLength = 0
  time.advance(10)
  t.is(cut.length, 1)
})
