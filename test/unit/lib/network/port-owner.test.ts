import { createServer } from 'node:net'
import test from 'ava'
import { describePortOwner, findPortOwner } from '../../../../src/lib/network/port-owner.js'
import { freePort, until } from '../../../helpers/cli.js'

test('a listener of this process is found by its port', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await until(() => server.listening, 'the server listens')
  const owner = await findPortOwner((server.address() as { port: number }).port)
  t.is(owner?.pid, process.pid)
  t.true(describePortOwner(owner).endsWith(`(pid ${process.pid})`))
})

test('a free port has no owner', async t => {
  const owner = await findPortOwner(await freePort())
  t.is(owner, undefined)
  t.is(describePortOwner(owner), 'another process')
})
