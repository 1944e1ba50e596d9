import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { until } from '../helpers/daemon-process.js'
import { startTeam } from '../helpers/team.js'

const crowd = 2300

/** Opens a connection that never closes its own side and lives until the test ends. */
async function openSocket(t: ExecutionContext, url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  return socket
}

test('idle connections beyond the limit do not block other callers', async t => {
  const { url, call, admin } = await startTeam(t)
  for (let opened = 0; opened < crowd; opened += 100)
    await Promise.all(Array.from({ length: 100 }, () => openSocket(t, url)))
  for (let n = 0; n < 5; n++) t.is((await call('GET /health')).status, 200)
  t.is((await call('GET /api/memories', { headers: admin })).status, 200)
})

test('unfinished requests beyond the limit do not block other callers', async t => {
  const { url, call } = await startTeam(t)
  const begun =
    'POST /api/auth/login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{'
  for (let opened = 0; opened < crowd; opened += 100) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(t, url)))
    for (const socket of sockets) socket.write(begun)
  }
  t.is((await call('GET /health')).status, 200)
})

test('an aborted connection ends even if its client stays silent', async t => {
  const { url } = await startTeam(t)
  const accepted: Socket[] = []
  const note = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', note)
  t.teardown(() => unsubscribe('net.server.socket', note))
  const socket = await openSocket(t, url)
  socket.write('this is no HTTP\r\n\r\n')
  await once(socket, 'end')
  const other = accepted.find(({ remotePort }) => remotePort === socket.localPort)
  await until(() => other?.destroyed)
  t.pass()
})
