import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { originOf } from '../../../../src/client/daemon/locate.js'
import { isReady, probe } from '../../../../src/client/daemon/probe.js'
import { freePort, until } from '../../../helpers/cli.js'

async function listen(t: ExecutionContext, server: Server) {
  server.listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await until(() => server.listening, 'the server listens')
  return originOf({ host: '127.0.0.1', port: (server.address() as { port: number }).port })
}

/** An answer may take long on a busy machine. */
const patient = { timeoutMs: 60_000 }

const health = { status: 'healthy', version: '1.0.0', pid: 1, uptime: 1, port: 1, workspace: '/w' }

test('a daemon is recognised by its health reply', async t => {
  const origin = await listen(
    t,
    createServer((_, response) => response.end(JSON.stringify(health))),
  )
  t.deepEqual(await probe(origin, patient), { kind: 'daemon', health: health as never, isOwn: false })
})

test('any other reply is foreign and is reported', async t => {
  for (const answer of ['hello', '{}', JSON.stringify({ status: 'healthy' })]) {
    const origin = await listen(
      t,
      createServer((_, response) => response.end(answer)),
    )
    t.deepEqual(await probe(origin, patient), { kind: 'foreign', answer: 'answered 200 to GET /health' })
  }
  const garbage = await listen(
    t,
    createTcpServer(socket => socket.end('SSH-2.0-OpenSSH\r\n')),
  )
  t.deepEqual(await probe(garbage, patient), { kind: 'foreign', answer: 'does not speak HTTP' })
})

test('a free port means that nothing is there', async t => {
  t.deepEqual(await probe(originOf({ host: '127.0.0.1', port: await freePort() })), { kind: 'nothing' })
})

test('only status 200 of /health/ready means ready', async t => {
  const origin = await listen(
    t,
    createServer((_, response) => response.writeHead(503).end()),
  )
  t.false(await isReady(origin))
  t.false(await isReady(originOf({ host: '127.0.0.1', port: await freePort() })))
})
