// runs: in turn

import { EventEmitter } from 'node:events'
import test from 'ava'
import type { WebSocket } from 'ws'
import { openConnection } from '../../../../../../src/daemon/knowledge/sources/discord/gateway/connection.js'
import { manualTime } from '../../../../../helpers/manual-time.js'

/** An open socket that records whether it is paused. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readonly readyState = 1
  isPaused = false
  pause = (): void => {
    this.isPaused = true
  }
  resume = (): void => {
    this.isPaused = false
  }
  send = (): void => undefined
  close = (): void => undefined
  terminate = (): void => undefined
}

function connected() {
  const socket = new FakeSocket()
  const connection = openConnection({
    socket: socket as unknown as WebSocket,
    timers: manualTime().timers,
    random: () => 0,
    sequence: null,
    greet: () => ({ op: 2, d: {} }),
  })
  const hear = (s: number, d: unknown) =>
    socket.emit('message', Buffer.from(JSON.stringify({ op: 0, t: 'GUILD_CREATE', s, d })))
  return { socket, connection, hear }
}

const members = Array.from({ length: 60_000 }, (_, id) => ({ user: { id: `${id}`, username: 'somebody' } }))

test('a frame of megabytes is parsed in slices, and later frames keep their order', async t => {
  const { socket, connection, hear } = connected()
  const turns = { count: 0, isOver: false }
  const count = (): void => {
    turns.count++
    if (!turns.isOver) setImmediate(count)
  }
  setImmediate(count)
  hear(1, { members })
  hear(2, 'behind it')
  t.true(socket.isPaused)
  const events = connection.events()
  const { value: first } = await events.next()
  turns.isOver = true
  t.deepEqual(first, { op: 0, t: 'GUILD_CREATE', s: 1, d: { members } })
  t.true(turns.count > 5)
  t.like((await events.next()).value, { s: 2, d: 'behind it' })
  t.false(socket.isPaused)
  hear(3, 'at once')
  t.like((await events.next()).value, { s: 3 })
})

test('a connection closed during parsing yields no more events', async t => {
  const { socket, connection, hear } = connected()
  hear(1, { members })
  hear(2, 'behind it')
  connection.close()
  t.true((await connection.events().next()).done)
  await new Promise<void>(resolve => {
    socket.resume = resolve
  })
  t.is(connection.end()?.why, 'closed')
})
