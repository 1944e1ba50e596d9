import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import test from 'ava'
import { boundArrivals } from '../../../../../src/daemon/platform/http/arrivals.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const limits = { wholeMs: 100, pauseMs: 10 }

/** A server that nobody listens to, and one request that is on its way to it. */
function scene() {
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

test('a request that is not whole after its time is cut off, however it goes on (security.md#limits)', t => {
  const { time, cut, socket } = scene()
  time.advance(99)
  t.deepEqual(cut, [])
  socket.bytesRead++
  time.advance(1)
  t.deepEqual(cut, [['ERR_HTTP_REQUEST_TIMEOUT', socket]])
  t.deepEqual(time.waits(), [])
})

test('a request that has arrived may be answered as late as it likes', t => {
  const { time, cut, request } = scene()
  request.complete = true
  time.advance(1000)
  t.deepEqual(cut, [])
})

test('nothing waits for a request whose client is gone', t => {
  const { time, response } = scene()
  response.emit('close')
  t.deepEqual(time.waits(), [])
})

test('a body that is taken as it comes may take long, and is cut off when it pauses (security.md#limits)', t => {
  const { time, cut, socket, takeLong } = scene()
  takeLong()
  for (let passed = 0; passed < 1000; passed += 10) {
    socket.bytesRead++
    time.advance(10)
  }
  t.deepEqual(cut, [])
  time.advance(20)
  t.deepEqual(cut, [['ERR_HTTP_REQUEST_TIMEOUT', socket]])
})

test('a client that waits for us is not cut off', t => {
  const { time, cut, request, takeLong } = scene()
  takeLong()
  request.readableLength = 65_536
  time.advance(500)
  t.deepEqual(cut, [])
  request.readableLength = 0
  time.advance(10)
  t.is(cut.length, 1)
})
