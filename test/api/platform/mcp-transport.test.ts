import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

const accept = { accept: 'application/json, text/event-stream' }
const json = { ...accept, 'content-type': 'application/json' }
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})
const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' }

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })

const messagesOf = async (response: Response) =>
  (await response.text())
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice(6)))

for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'])
  test(`it speaks protocol revision ${revision} (mcp.md 4.9)`, async t => {
    const { url } = await startDaemon(t)
    const [reply] = await messagesOf(await post(url, initialize(revision)))
    t.is(reply.result.protocolVersion, revision)
    const [pong] = await messagesOf(await post(url, ping, { 'mcp-protocol-version': revision }))
    t.deepEqual(pong, { jsonrpc: '2.0', id: 'p', result: {} })
  })

test('an unknown revision is answered with a supported one, and refused afterwards', async t => {
  const { url } = await startDaemon(t)
  const [reply] = await messagesOf(await post(url, initialize('1999-01-01')))
  t.regex(reply.result.protocolVersion, /^202\d-/)
  t.is((await post(url, ping, { 'mcp-protocol-version': '1999-01-01' })).status, 400)
})

test('batches are accepted, as revision 2025-03-26 defines them', async t => {
  const { url } = await startDaemon(t)
  const replies = await messagesOf(await post(url, [ping, { ...ping, id: 2 }]))
  t.deepEqual(replies.map(({ id }) => String(id)).sort(), ['2', 'p'])
})

test('a long batch does not delay other requests (mcp.md 4.9)', async t => {
  const { url, remember } = await startDaemon(t)
  for (let n = 0; n < 20; n++) await remember(`note ${n} ${'about a crane '.repeat(200)}`)
  const list = { method: 'tools/call', params: { name: 'memory_list', arguments: { limit: 20 } } }
  const batch = await post(
    url,
    Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, ...list })),
  )
  const order: string[] = []
  await Promise.all([
    messagesOf(batch).then(({ length }) => order.push(`${length} replies`)),
    fetch(`${url}/health`).then(() => order.push('another')),
  ])
  t.deepEqual(order, ['another', '50 replies'])
})

test('a batch that cancels its own requests is answered and ends (mcp.md 4.9)', async t => {
  const { url } = await startDaemon(t)
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'p' } }
  for (const batch of [
    [cancel, ping],
    [ping, cancel],
  ])
    t.like(await messagesOf(await post(url, batch)), [{ id: 'p', result: {} }])
  t.is((await post(url, [cancel])).status, 202)
})

test('requests share no state: no session id is set, and a call works without initialize (mcp.md 4.9)', async t => {
  const { url } = await startDaemon(t)
  const response = await post(url, { jsonrpc: '2.0', id: 7, method: 'tools/list' })
  t.is(response.headers.get('mcp-session-id'), null)
  const [reply] = await messagesOf(response)
  t.true(reply.result.tools.length > 0)
})

test('DELETE is a no-op, notifications are accepted (mcp.md 4.9)', async t => {
  const { url } = await startDaemon(t)
  t.is((await fetch(`${url}/mcp`, { method: 'DELETE', headers: accept })).status, 200)
  t.is((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
})

test('a body over 512 KiB is refused with 413 as a JSON-RPC error (mcp.md 8)', async t => {
  const { url } = await startDaemon(t)
  const fits = await post(url, { ...ping, params: { _meta: { pad: 'x'.repeat(500 * 1024) } } })
  t.is(fits.status, 200)
  await fits.text()
  const response = await post(url, { ...ping, params: { _meta: { pad: 'x'.repeat(512 * 1024) } } })
  t.is(response.status, 413)
  t.like(await response.json(), { jsonrpc: '2.0', id: null, error: { data: { code: 'payload_too_large' } } })
})

test('input that is not JSON-RPC gets a JSON-RPC error (mcp.md 7)', async t => {
  const { url } = await startDaemon(t)
  const send = (method: string, headers: Record<string, string>, body?: string) =>
    fetch(`${url}/mcp`, { method, headers, ...(body !== undefined && { body }) })
  const cases: [Promise<Response>, number, number][] = [
    [send('POST', json, '{'), 400, -32700],
    [send('POST', json, ''), 400, -32700],
    [send('POST', json, '{"id":1}'), 400, -32700],
    [send('POST', { ...accept, 'content-type': 'text/plain' }, '{}'), 415, -32000],
    [send('POST', { 'content-type': 'application/json' }, JSON.stringify(ping)), 406, -32000],
    [send('GET', { accept: 'application/json' }), 406, -32000],
    [send('PUT', json, JSON.stringify(ping)), 405, -32000],
  ]
  for (const [pending, status, code] of cases) {
    const response = await pending
    t.is(response.status, status)
    const body = (await response.json()) as { jsonrpc: string; error: { code: number } }
    t.like(body, { jsonrpc: '2.0', error: { code } })
    t.truthy(response.headers.get('x-request-id'))
  }
})

test('a web page cannot reach it (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t)
  const { port } = new URL(url)
  const foreignOrigin = await post(url, ping, { origin: 'http://evil.example' })
  t.is(foreignOrigin.status, 403)
  t.like(await foreignOrigin.json(), { jsonrpc: '2.0', error: { data: { code: 'forbidden_origin' } } })
  const request = httpRequest({
    port,
    path: '/mcp',
    method: 'POST',
    headers: { ...json, host: 'evil.example' },
  })
  request.end(JSON.stringify(ping))
  const [response] = await once(request, 'response')
  t.is(response.statusCode, 403)
  response.resume()
})

test('an unknown method is a protocol error, an unknown tool an error result that lists the others', async t => {
  const { url } = await startDaemon(t)
  const [unknown] = await messagesOf(await post(url, { jsonrpc: '2.0', id: 1, method: 'nope' }))
  t.is(unknown.error.code, -32601)
  const params = { name: 'nope', arguments: {} }
  const [tool] = await messagesOf(await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  t.true(tool.result.isError)
  t.regex(tool.result.content[0].text, /nope.*memory_search/)
})

test('an unknown tool lists no tools of a disabled plugin', async t => {
  const { url } = await startDaemon(t)
  const params = { name: 'nope', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const response = await fetch(`${url}/mcp?tools=all`, { method: 'POST', headers: json, body })
  const [{ result }] = await messagesOf(response)
  t.regex(result.content[0].text, /nope.*secret_list/)
  t.notRegex(result.content[0].text, /service_code_search/)
})

test('the ninth concurrent request gets 503 and a JSON-RPC error, until one ends (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const { url } = daemon
  // The protocol's code is loaded by the first request; those that are held end after ten seconds.
  await messagesOf(await post(url, ping))
  const held = holdRecalls(daemon.daemon)
  const search = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'memory_search', arguments: { query: 'x' } },
  }
  const running = Array.from({ length: 8 }, () => post(url, search))
  await until(() => daemon.daemon.mcpRequests.all().length === 8 || undefined)
  const stream = await fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream' } })
  t.is(stream.status, 200, 'a stream does not count')
  const ninth = await post(url, ping)
  t.is(ninth.status, 503)
  t.is(ninth.headers.get('retry-after'), '1')
  t.like(await ninth.json(), { jsonrpc: '2.0', id: 'p', error: { data: { code: 'overloaded' } } })
  held.release()
  for (const response of await Promise.all(running))
    t.is((await messagesOf(response))[0].result.isError, undefined)
  const tenth = await post(url, ping)
  t.is(tenth.status, 200)
  await tenth.text()
  await stream.body?.cancel()
})

test('a client that disconnects frees its slot (mcp.md 4.9)', async t => {
  const { url } = await startDaemon(t)
  const { port } = new URL(url)
  for (let round = 0; round < 12; round++) {
    const socket = connect(Number(port), '127.0.0.1')
    const body = JSON.stringify(ping)
    socket.end(
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: ${accept.accept}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      () => socket.destroy(),
    )
    await once(socket, 'close')
  }
  const response = await until(async () => {
    const reply = await post(url, ping)
    return reply.status === 200 ? reply : undefined
  })
  t.is((await messagesOf(response))[0].id, 'p')
})

test('a GET stream opens at once and does not delay a stop', async t => {
  const { url, stop } = await startDaemon(t)
  const stream = await fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream' } })
  t.is(stream.headers.get('content-type'), 'text/event-stream')
  const reader = stream.body?.getReader()
  t.regex(new TextDecoder().decode((await reader?.read())?.value), /^: open/)
  await stop()
  // A stream that exceeded the stop deadline would throw here.
  t.true((await reader?.read())?.done)
})

/** Blocks every recall at its first read of the store. */
function holdRecalls({ store }: Awaited<ReturnType<typeof startDaemon>>['daemon']) {
  const waiting: (() => void)[] = []
  const { agents } = store.tables
  const find = agents.find.bind(agents)
  Object.assign(agents, {
    find: async (...args: Parameters<typeof find>) => {
      await new Promise<void>(resolve => waiting.push(resolve))
      return find(...args)
    },
  })
  return {
    release: () => {
      Object.assign(agents, { find })
      for (const resume of waiting) resume()
    },
  }
}
