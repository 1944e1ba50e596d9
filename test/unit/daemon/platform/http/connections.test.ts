import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import test from 'ava'
import { boundConnections } from '../../../../../src/daemon/platform/http/connections.js'

const limits = { all: 8, remote: 5, peer: 3 }

class Line extends EventEmitter {
  destroyed = false
  constructor(readonly remoteAddress: string) {
    super()
  }
  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}

/** A fake server whose clients are played by the test. */
function fakeServer() {
  const server = new EventEmitter()
  boundConnections(server as unknown as Server, limits)
  const connect = (address: string): Line => {
    const line = new Line(address)
    server.emit('connection', line)
    return line
  }
  return {
    connect,
    several: (count: number, address: string) => Array.from({ length: count }, () => connect(address)),
    ask: (socket: Line, complete = true) => {
      const request = { socket, complete }
      const response = Object.assign(new EventEmitter(), { writableEnded: false })
      server.emit('request', request, response)
      return { request, response }
    },
  }
}

const dropped = (lines: readonly Line[]): number[] =>
  lines.flatMap(({ destroyed }, at) => (destroyed ? [at] : []))

test('above the limit the connection silent for longest is closed', t => {
  const { several } = fakeServer()
  t.deepEqual(dropped(several(10, '127.0.0.1')), [0, 1])
})

test('a connection with a running request stays open, however old', t => {
  const { connect, several, ask } = fakeServer()
  const first = connect('127.0.0.1')
  ask(first)
  t.deepEqual(dropped(several(9, '127.0.0.1')), [0, 1])
  t.false(first.destroyed)
})

test('a connection counts as silent from the end of its request', t => {
  const { several, ask } = fakeServer()
  const lines = several(8, '127.0.0.1')
  ask(lines[0]!).response.emit('close')
  several(7, '127.0.0.1')
  t.deepEqual(dropped(lines), [1, 2, 3, 4, 5, 6, 7])
  several(1, '127.0.0.1')
  t.true(lines[0]!.destroyed)
})

test('an incomplete request is closed before younger silent connections', t => {
  const { connect, several, ask } = fakeServer()
  const unfinished = connect('127.0.0.1')
  ask(unfinished, false)
  t.deepEqual(dropped(several(8, '127.0.0.1')), [])
  t.true(unfinished.destroyed)
})

test('a connection that does not read its answer counts as silent', t => {
  const { connect, several, ask } = fakeServer()
  const slow = connect('127.0.0.1')
  ask(slow).response.writableEnded = true
  several(8, '127.0.0.1')
  t.true(slow.destroyed)
})

test('if every connection has a running request, the new one is closed', t => {
  const { connect, several, ask } = fakeServer()
  const lines = several(8, '127.0.0.1')
  for (const line of lines) ask(line)
  t.true(connect('127.0.0.1').destroyed)
  t.deepEqual(dropped(lines), [])
})

test('the answer to an earlier request does not make a busy connection idle', t => {
  const { connect, several, ask } = fakeServer()
  const line = connect('127.0.0.1')
  const first = ask(line)
  ask(line)
  first.response.emit('close')
  several(8, '127.0.0.1')
  t.false(line.destroyed)
})

test('one network peer cannot use the places of others', t => {
  const { several } = fakeServer()
  const quiet = several(2, '192.0.2.1')
  const greedy = several(9, '192.0.2.2')
  t.deepEqual(dropped(greedy), [0, 1, 2, 3, 4, 5])
  t.deepEqual(dropped(quiet), [])
})

test('an IPv6 network counts as one peer', t => {
  const { connect } = fakeServer()
  const lines = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'].map(connect)
  t.deepEqual(dropped(lines), [0])
})

test('all network peers together leave places for this machine', t => {
  const { connect, several, ask } = fakeServer()
  const remote = Array.from({ length: 9 }, (_, at) => connect(`192.0.2.${at}`))
  for (const line of remote.filter(({ destroyed }) => !destroyed)) ask(line)
  t.is(dropped(remote).length, 4)
  t.deepEqual(dropped(several(3, '127.0.0.1')), [])
})

test('this machine uses free network places and gives them back', t => {
  const { connect, several } = fakeServer()
  const own = several(8, '127.0.0.1')
  const remote = Array.from({ length: 5 }, (_, at) => connect(`192.0.2.${at}`))
  t.deepEqual(dropped(remote), [])
  t.deepEqual(dropped(own), [0, 1, 2, 3, 4])
})

test('a closed connection uses no place', t => {
  const { several } = fakeServer()
  for (const line of several(8, '127.0.0.1')) line.destroy()
  t.deepEqual(dropped(several(8, '127.0.0.1')), [])
})
