// runs: in turn
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { ApiFault } from '../../../../../src/daemon/ground/fetch/api-faults.js'
import {
  type ExchangeRequest,
  exchange,
  jsonInSlices,
  jsonOf,
  openConnection,
  redactedMessage,
} from '../../../../../src/daemon/ground/fetch/exchange.js'
import { type FakeHandler, startHttpFake } from '../../../../helpers/embedding-fakes.js'

const token = 'a-token-of-a-bot'

async function ask(t: ExecutionContext, handler: FakeHandler, fields: Partial<ExchangeRequest> = {}) {
  const { url } = await startHttpFake(t, handler)
  const agent = await openConnection()
  t.teardown(() => agent.destroy())
  const headers = { authorization: `Bot ${token}` }
  return exchange(agent, {
    url: new URL('/x?secret=1', url),
    headers,
    maxBytes: 100,
    signal: new AbortController().signal,
    ...fields,
  })
}

test('any status is a reply, and compressed replies are read', async t => {
  const reply = await ask(t, (_request, response) =>
    response.writeHead(503, { 'content-encoding': 'gzip', 'x-a': 'b' }).end(gzipSync('{"a":1}')),
  )
  t.is(reply.status, 503)
  t.is(reply.headers['x-a'], 'b')
  t.deepEqual(await jsonOf(reply), { a: 1 })
})

test('a redirect is returned, not followed, so the token stays here', async t => {
  const reply = await ask(t, ({ path }, response) => {
    if (path.startsWith('/x')) return void response.writeHead(302, { location: '/y' }).end()
    t.fail()
  })
  t.is(reply.status, 302)
})

test('a reply that inflates beyond the limit fails, or is cut on request', async t => {
  const handler: FakeHandler = (_request, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(1_000_000)))
  const error = await t.throwsAsync(ask(t, handler), { instanceOf: ApiFault })
  t.is(error?.kind, 'too_large')
  const { bytes, isCut } = await ask(t, handler, { beyond: 'cut' })
  t.deepEqual([bytes.toString(), isCut], ['a'.repeat(100), true])
})

for (const [what, handler] of Object.entries<FakeHandler>({
  'a broken connection': (_request, response) => void response.socket?.destroy(),
  'a partial reply': (_request, response) => {
    response.writeHead(200, { 'content-length': 50 }).write('{"a":')
    setImmediate(() => response.socket?.destroy())
  },
  'a broken encoding': (_request, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
  'an unknown encoding': (_request, response) =>
    void response.writeHead(200, { 'content-encoding': 'zz' }).end('?'),
}))
  test(`${what} is reported without query and token`, async t => {
    const error = await t.throwsAsync(ask(t, handler), { instanceOf: ApiFault })
    t.is(error?.kind, 'unreachable')
    t.regex(error?.message ?? '', /^http:\/\/127\.0\.0\.1:\d+/u)
    t.notRegex(JSON.stringify([error?.message, error?.stack]), /secret=1|a-token-of-a-bot/u)
  })

test('an aborted request ends with the reason of its signal', async t => {
  const stop = new AbortController()
  const asked = ask(t, () => stop.abort(new Error('removed')), { signal: stop.signal })
  await t.throwsAsync(asked, { message: 'removed' })
})

test('a reply that is not JSON is a passing fault', async t => {
  const reply = { url: new URL('http://a/b?c=d'), bytes: Buffer.from('<html>') }
  const error = await t.throwsAsync(() => jsonOf(reply), { instanceOf: ApiFault })
  t.is(error?.message, 'http://a/b did not return JSON')
})

test('server text is reduced to one line without the token', t => {
  t.is(redactedMessage(token, `no\n${token}!`), 'no [token]!')
  t.is(redactedMessage(undefined, 'no'), 'no')
})

const long = {
  messages: Array.from({ length: 20_000 }, (_, id) => ({ id: `${id}`, text: 'Ä "crane" 🏗 \\'.repeat(5) })),
}

test('JSON parsed in slices equals JSON parsed at once', async t => {
  for (const value of [{ a: [1, null, 'x'] }, long, [long], 'x'.repeat(2_000_000)])
    t.deepEqual(await jsonInSlices(Buffer.from(JSON.stringify(value))), value)
})

test('invalid and truncated JSON is refused both ways', async t => {
  const bytes = Buffer.from(JSON.stringify(long))
  for (const broken of ['{"a":', '<html>', '']) await t.throwsAsync(jsonInSlices(Buffer.from(broken)))
  await t.throwsAsync(jsonInSlices(bytes.subarray(0, -1)))
  await t.throwsAsync(jsonInSlices(Buffer.concat([bytes, Buffer.from(']')])))
})

test('parsing a long text yields to the event loop', async t => {
  const turns = { count: 0, isOver: false }
  const count = (): void => {
    turns.count++
    if (!turns.isOver) setImmediate(count)
  }
  setImmediate(count)
  await jsonInSlices(Buffer.from(JSON.stringify([long, long, long])))
  turns.isOver = true
  t.true(turns.count > 5)
})
