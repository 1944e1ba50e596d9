import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import test from 'ava'
import { findSocketUser } from '../../../../../src/daemon/platform/auth/local-users.js'

/** Only Linux shows whose process has the other end of a connection. */
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the user of each new connection is found within few turns of the event loop', async t => {
  const accepted: Socket[] = []
  const server = createServer(socket => void accepted.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'))
  t.teardown(() => {
    for (const socket of [...clients, ...accepted]) socket.destroy()
    server.close()
  })
  while (accepted.length < clients.length) await new Promise(resolve => setImmediate(resolve))
  let turns = 0
  const count = (): void => {
    turns++
    counter = setImmediate(count)
  }
  let counter = setImmediate(count)
  const users = await Promise.all(accepted.map(findSocketUser))
  clearImmediate(counter)
  t.deepEqual(new Set(users), new Set([process.geteuid?.()]))
  // Asynchronous reads of the table took five turns for each connection.
  t.true(turns <= 2 * clients.length, String(turns))
})
