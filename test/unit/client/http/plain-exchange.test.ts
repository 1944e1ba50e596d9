// runs: in turn

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Origin } from '../../../../src/client/http/origin.js'
import { plainExchange } from '../../../../src/client/http/plain-exchange.js'
import { parseReply } from '../../../../src/client/http/plain-reply.js'
import { cpuMsUntil } from '../../../helpers/cpu-time.js'

const request = {
  method: 'POST',
  path: '/x',
  headers: {},
  body: Buffer.from('{"a":"ß"}'),
  timeoutMs: 300_000,
}

async function serve(t: ExecutionContext, answer: (response: ServerResponse) => void) {
  // biome-ignore lint/suspicious/noExplicitAny: what a request was
  const seen: any[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method, url, headers } = incoming
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: originOf(server.address() as AddressInfo), seen }
}

function originOf({ port }: AddressInfo): Origin {
  return { protocol: 'http:', host: '127.0.0.1', port }
}

/** Starts a server that sends arbitrary bytes. */
async function serveBytes(t: ExecutionContext, answer: (socket: Socket) => void): Promise<Origin> {
  const server = createSocketServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return originOf(server.address() as AddressInfo)
}

test('requests and replies are complete HTTP', async t => {
  const { origin, seen } = await serve(t, response => {
    response.writeHead(201, { 'X-Note': 'yes', 'content-length': 3 }).end('äb')
  })
  const reply = await plainExchange(origin, { ...request, headers: { authorization: 'Bearer x' } })
  t.like(reply, { status: 201, text: 'äb' })
  t.is(reply.headers['x-note'], 'yes')
  t.like(seen[0], { method: 'POST', url: '/x', body: '{"a":"ß"}' })
  t.like(seen[0].headers, {
    host: `127.0.0.1:${origin.port}`,
    authorization: 'Bearer x',
    'content-type': 'application/json',
    'content-length': '10',
  })
})

test('a chunked reply is joined', async t => {
  const { origin } = await serve(t, response => {
    response.write('größ')
    response.write('er, ')
    response.end('x'.repeat(100_000))
  })
  t.is((await plainExchange(origin, request)).text, `größer, ${'x'.repeat(100_000)}`)
})

test('a long chunked reply is joined in linear time', async t => {
  const piece = 'x'.repeat(16 * 1024)
  const { origin } = await serve(t, async response => {
    for (let n = 0; n < 3072; n++) if (!response.write(piece)) await once(response, 'drain')
    response.end()
  })
  // Joining all chunks again for each new chunk took 20 seconds of CPU time.
  const spentMs = await cpuMsUntil(async () => {
    const { text } = await plainExchange(origin, { ...request, timeoutMs: 300_000 })
    t.is(text.length, 3072 * piece.length)
  })
  t.true(spentMs < 15_000, `${spentMs} ms`)
})

test('a late reply is a timeout', async t => {
  const { origin } = await serve(t, () => undefined)
  await t.throwsAsync(plainExchange(origin, { ...request, timeoutMs: 100 }), { message: /within 100 ms/ })
})

test('a reply is complete at its content length, even on an open connection', async t => {
  const origin = await serveBytes(
    t,
    socket => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  t.is((await plainExchange(origin, request)).text, 'ok')
})

test('a reply sent before the request is fully read is returned', async t => {
  const origin = await serveBytes(t, socket => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 413 x\r\ncontent-length: 5\r\n\r\nlarge', () => socket.resetAndDestroy())
    })
  })
  const reply = await plainExchange(origin, { ...request, body: Buffer.alloc(8_000_000, 'x') }).catch(
    error => error,
  )
  // The system may drop received data when a connection is reset.
  t.true(reply.status === 413 || ['ECONNRESET', 'EPIPE'].includes(reply.code), String(reply))
})

test('another protocol fails at once, even on an open connection', async t => {
  const origin = await serveBytes(t, socket => void socket.write('SSH-2.0-OpenSSH\r\n'))
  await t.throwsAsync(plainExchange(origin, request), { code: 'HPE_INVALID_CONSTANT' })
})

test('a request without a body has the same headers as with node:http', async t => {
  const { origin, seen } = await serve(t, response => response.end())
  for (const method of ['GET', 'DELETE', 'POST'])
    await plainExchange(origin, { method, path: '/x', timeoutMs: 300_000 })
  t.deepEqual(
    seen.map(({ headers }) => [headers['content-length'], headers['content-type'], headers.connection]),
    [
      [undefined, undefined, 'close'],
      [undefined, undefined, 'close'],
      ['0', undefined, 'close'],
    ],
  )
})

test('a port without a listener is reported as refused', async t => {
  const origin = await serveBytes(t, socket => socket.end())
  await t.throwsAsync(plainExchange({ ...origin, port: 1 }, request), { code: 'ECONNREFUSED' })
})

for (const [what, text] of [
  ['nothing', ''],
  ['another protocol', '220 mail.example.org ESMTP\r\n\r\n'],
  ['a partial header', 'HTTP/1.1 200 OK\r\ncontent-le'],
  ['less than its declared length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
  ['a partial chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n'],
] as const)
  test(`a reply of ${what} is an error, not an empty reply`, async t => {
    const origin = await serveBytes(t, socket => socket.end(text))
    await t.throwsAsync(plainExchange(origin, request), { message: /not HTTP|is incomplete|ECONNRESET/ })
  })

test('a value with a line break cannot become a header', async t => {
  const { origin, seen } = await serve(t, response => response.end())
  const headers = { 'x-service-agent-id': 'ann\r\nx-service-actor: root' }
  await t.throwsAsync(plainExchange(origin, { ...request, headers }), { message: /line break/ })
  t.is(seen.length, 0)
})

test('parsing ends for any bytes', t => {
  for (const text of ['HTTP/1.1 200\r\n\r\n', 'HTTP/1.1 999 x\r\n:\r\n\r\nbody'])
    t.notThrows(() => parseReply(Buffer.from(text)))
})
