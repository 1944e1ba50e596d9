// runs: alone

import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { call } from '../../../src/client/call.js'
import { originOf } from '../../../src/client/daemon/locate.js'
import type { ClientError } from '../../../src/client/http/client-error.js'
import type { Origin } from '../../../src/client/http/origin.js'
import { send } from '../../../src/client/http/send.js'
import { version } from '../../../src/lib/workspace/version.js'
import { cliWorkspace, freePort, until } from '../../helpers/cli.js'
import { answerChallenge, registrationOf, writeRegistration } from '../../helpers/fake-daemon.js'

interface RecordedRequest {
  method?: string
  url?: string
  headers: IncomingMessage['headers']
  body: string
}

/** Starts a server with one answer for every request, which records the requests. */
async function serve(
  t: ExecutionContext,
  answer: (response: ServerResponse) => void,
): Promise<{ origin: Origin; seen: RecordedRequest[] }> {
  const seen: RecordedRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const { method, url, headers } = request
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    answerChallenge(request, response)
    answer(response)
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  await until(() => server.listening, 'the server listens')
  const { port } = server.address() as { port: number }
  return { origin: originOf({ host: '127.0.0.1', port }), seen }
}

function json(status: number, body: unknown) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r-1' })
    response.end(JSON.stringify(body))
  }
}

type Answer = (response: ServerResponse) => void

/** Gives the answers of each path in turn, and the last one again, since a slow client asks again. */
function inOrder(seen: () => RecordedRequest[], answers: Record<string, Answer[]>): Answer {
  return response => {
    const { url } = seen().at(-1)!
    const answer = answers[url!]!.length > 1 ? answers[url!]!.shift()! : answers[url!]![0]!
    answer(response)
  }
}

/** Paths in order, each once in a row. */
function pathsOf(seen: readonly RecordedRequest[]) {
  return seen.map(({ url }) => url).filter((url, index, all) => url !== all[index - 1])
}

test('method, path, query, headers and body reach the daemon', async t => {
  const { origin, seen } = await serve(t, json(200, { id: 'x' }))
  const reply = await send(
    origin,
    'GET /api/memory/:id',
    { params: { id: 'a/b ü' }, query: { limit: 3, q: 'a&b', none: undefined } },
    { agent: 'agent-7' },
  )
  t.like(reply, { id: 'x' })
  t.is(seen[0]?.method, 'GET')
  t.is(seen[0]?.url, '/api/memory/a%2Fb%20%C3%BC?limit=3&q=a%26b')
  t.is(seen[0]?.headers['x-service-agent-id'], 'agent-7')

  await send(origin, 'POST /api/memory/recall', { body: { query: 'größer' } })
  t.is(seen[1]!.body, '{"query":"größer"}')
  t.is(seen[1]!.headers['content-length'], String(Buffer.byteLength(seen[1]!.body)))
})

test.serial('SERVICE_API_KEY is sent, otherwise SERVICE_TOKEN', async t => {
  const { origin, seen } = await serve(t, json(200, {}))
  const { SERVICE_API_KEY, SERVICE_TOKEN } = process.env
  t.teardown(() =>
    Object.assign(process.env, {
      SERVICE_API_KEY: SERVICE_API_KEY ?? '',
      SERVICE_TOKEN: SERVICE_TOKEN ?? '',
    }),
  )
  Object.assign(process.env, { SERVICE_API_KEY: '', SERVICE_TOKEN: 'token' })
  await send(origin, 'GET /api/status', {})
  process.env.SERVICE_API_KEY = 'key'
  await send(origin, 'GET /api/status', {})
  t.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    ['Bearer token', 'Bearer key'],
  )
})

test('an error reply keeps code, status, details, request id and body', async t => {
  const body = {
    error: 'no',
    code: 'validation_failed',
    details: [{ path: 'a', message: 'b' }],
    status: 'bad',
  }
  const { origin } = await serve(t, json(400, body))
  const error = await t.throwsAsync<ClientError>(send(origin, 'GET /api/status', {}))
  t.like(error, { message: 'no', code: 'validation_failed', status: 400, requestId: 'r-1', body })
  t.deepEqual(error.details, body.details)
})

test('a reply without a request id comes from another program', async t => {
  const { origin } = await serve(t, response => response.end('<html>'))
  const error = await t.throwsAsync<ClientError>(send(origin, 'GET /api/status', {}))
  t.is(error.code, 'foreign_process')
})

test('a late reply is a timeout', async t => {
  const { origin } = await serve(t, () => {})
  const error = await t.throwsAsync<ClientError>(send(origin, 'GET /api/status', {}, { timeoutMs: 50 }))
  t.is(error.code, 'timeout')
  t.regex(error.message, /GET \/api\/status within 0\.05 s/)
})

test('a reply that stops halfway is a timeout too', async t => {
  const { origin } = await serve(t, response => {
    response.writeHead(200, { 'content-length': '100', 'x-request-id': 'r' })
    response.write('{')
  })
  const error = await t.throwsAsync<ClientError>(send(origin, 'GET /api/status', {}, { timeoutMs: 50 }))
  t.is(error.code, 'timeout')
})

test('a missing daemon and a dropped connection are distinct errors', async t => {
  const nobody = originOf({ host: '127.0.0.1', port: await freePort() })
  const refused = await t.throwsAsync<ClientError>(send(nobody, 'GET /api/status', {}))
  t.is(refused.code, 'daemon_unavailable')

  const server = createTcpServer(socket => socket.once('data', () => socket.resetAndDestroy())).listen(
    0,
    '127.0.0.1',
  )
  t.teardown(() => server.close())
  await until(() => server.listening, 'the server listens')
  const { port } = server.address() as { port: number }
  const lost = await t.throwsAsync<ClientError>(
    send(originOf({ host: '127.0.0.1', port }), 'GET /api/status', {}),
  )
  t.is(lost.code, 'connection_lost')
})

test('a registered daemon of the same version is called directly, with one request', async t => {
  const { origin, seen } = await serve(t, json(200, { memories: 7 }))
  writeRegistration(cliWorkspace(t), JSON.stringify(registrationOf({ ...origin, version })))
  const reply = await call('GET /api/status', {}, { workspace: cliWorkspace(t) })
  t.is(reply.memories, 7)
  t.deepEqual(
    seen.map(({ url }) => url),
    ['/api/status'],
  )
})

test('a starting daemon is waited for and called again', async t => {
  const workspace = cliWorkspace(t)
  const { origin, seen } = await serve(
    t,
    inOrder(() => seen, {
      '/api/status': [json(503, { error: 'starting', code: 'starting' }), json(200, { memories: 7 })],
      '/health': [json(200, { status: 'healthy', version, pid: process.pid, workspace })],
      '/health/ready': [json(503, { ready: false }), json(200, { ready: true })],
    }),
  )
  writeRegistration(workspace, JSON.stringify(registrationOf({ ...origin, version })))
  const reply = await call('GET /api/status', {}, { workspace, autostart: false })
  t.is(reply.memories, 7)
  t.deepEqual(pathsOf(seen), ['/api/status', '/health', '/health/ready', '/api/status'])
})

const drop = (response: ServerResponse) => response.socket?.resetAndDestroy()

for (const [what, address] of [
  ['a GET request', 'GET /api/status'],
  ['a recall', 'POST /api/memory/recall'],
] as const)
  test(`${what} is repeated once if the daemon stops before it answers`, async t => {
    const workspace = cliWorkspace(t)
    const path = address.split(' ')[1]!
    const { origin, seen } = await serve(
      t,
      inOrder(() => seen, {
        [path]: [drop, json(200, { memories: 7 })],
        '/health': [json(200, { status: 'healthy', version, pid: process.pid, workspace })],
        '/health/ready': [json(200, { ready: true })],
      }),
    )
    writeRegistration(workspace, JSON.stringify(registrationOf({ ...origin, version })))
    t.like(await call(address, {} as never, { workspace, autostart: false }), { memories: 7 })
    t.deepEqual(pathsOf(seen), [path, '/health', '/health/ready', path])
  })

test('a change is not repeated if the daemon stops before it answers', async t => {
  const workspace = cliWorkspace(t)
  const { origin, seen } = await serve(t, drop)
  writeRegistration(workspace, JSON.stringify(registrationOf({ ...origin, version })))
  const body = { content: 'the crane stops at noon' }
  const error = await t.throwsAsync<ClientError>(
    call('POST /api/memory/remember', { body }, { workspace, autostart: false }),
  )
  t.is(error.code, 'connection_lost')
  t.is(seen.length, 1)
})

test('without autostart a missing daemon is an error', async t => {
  // With any free port configured, the default port is not probed.
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), 'daemon:\n  port: 0\n')
  const error = await t.throwsAsync<ClientError>(
    call('GET /api/status', {}, { workspace: cliWorkspace(t), autostart: false }),
  )
  t.is(error.code, 'daemon_not_started')
})
