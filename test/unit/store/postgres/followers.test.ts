import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { stateText } from '../../../../src/cli/operations/status.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'
import { startDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { callTool, connectHttp } from '../../../helpers/mcp.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'
import { soonMs } from '../../../helpers/team-load.js'

/** Daemons of one schema, each behind a proxy. */
async function daemons(t: ExecutionContext, count: number) {
  const url = await ownDatabase(t)
  const all = []
  for (let number = 0; number < count; number++) {
    const proxy = await startProxy(t, url)
    const settings = { storage: { postgres: proxy.url, shared: true } }
    all.push({ ...(await startDaemon(t, { settings })), proxy })
  }
  return all
}

type Daemon = Awaited<ReturnType<typeof daemons>>[number]

const finds = async (at: Daemon, query: string, id: string): Promise<boolean> =>
  (await at.recall(query)).includes(id)
async function soon(t: ExecutionContext, work: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + soonMs()
  while (!(await work()) && performance.now() < end) await delay(20)
  t.true(await work())
}

test('a memory saved by one daemon is found there at once, and by the others soon', async t => {
  const [a, b, c] = (await daemons(t, 3)) as [Daemon, Daemon, Daemon]
  const id = await a.remember('the deploy runs on Tuesdays')
  t.true(await finds(a, 'deploy', id))
  for (const other of [b, c]) await soon(t, () => finds(other, 'deploy', id))
})

test('a change, a forget, a purge and a project of one daemon reach the others', async t => {
  const [a, b] = (await daemons(t, 2)) as [Daemon, Daemon]
  const [id, other] = [
    await a.remember('the deploy runs on Tuesdays'),
    await a.remember('the cache is Redis'),
  ]
  const theirs = await a.remember('the queue is Kafka', { agentId: 'scout' })
  const lacks = async (one: string) => (await b.daemon.index.lacking('entries', [one])).length === 1
  await soon(t, () => finds(b, 'deploy', id))
  await soon(t, async () => !(await lacks(theirs)))
  const tags = { params: { id }, body: { tags: ['rollout'], reason: 'it is one' } }
  t.is((await a.call('PATCH /api/memory/:id', tags)).status, 200)
  await soon(t, async () => (await b.recall('deploy', { tags: ['rollout'] })).includes(id))
  t.is(
    (await a.call('DELETE /api/memory/:id', { params: { id: other }, query: { reason: 'wrong' } })).status,
    200,
  )
  await soon(t, () => lacks(other))
  t.false(await finds(b, 'cache Redis', other))
  const scout = { params: { name: 'scout' }, query: { purge: true } }
  t.is((await a.call('DELETE /api/agents/:name', scout)).status, 200)
  await soon(t, () => lacks(theirs))
  await a.daemon.projects.change(async projects => {
    await projects.add({ key: 'atlas', name: 'Atlas', created_at: '', used_at: '' })
  })
  await soon(t, async () => b.daemon.projects.row('atlas')?.name === 'Atlas')
})

test('a request waits for the change that its caller made at another daemon', async t => {
  const [a, b] = (await daemons(t, 2)) as [Daemon, Daemon]
  for (let round = 0; round < 5; round++) {
    const saved = await a.call('POST /api/memory/remember', { body: { content: `the answer is ${round}` } })
    const change = saved.headers.get('x-memory-change') as string
    t.true(Number(change) > 0)
    const headers = { 'content-type': 'application/json', 'x-memory-after': change }
    const body = JSON.stringify({ query: `answer ${round}` })
    const found = await fetch(`${b.url}/api/memory/recall`, { method: 'POST', headers, body })
    t.is(found.headers.get('x-memory-behind'), null)
    t.true((await found.text()).includes(saved.body.id as string))
  }
  const read = await a.call('POST /api/memory/recall', { body: { query: 'answer' } })
  t.is(read.headers.get('x-memory-change'), null)
  const unknown = await fetch(`${b.url}/api/memory/recent`, { headers: { 'x-memory-after': '1000000' } })
  t.regex(unknown.headers.get('x-memory-behind') ?? '', /^\d+$/u)
})

test('a session of MCP over HTTP reads its own writes at any daemon', async t => {
  const [a, b] = (await daemons(t, 2)) as [Daemon, Daemon]
  const [first, second] = [await connectHttp(t, a.url), await connectHttp(t, b.url)]
  for (let round = 0; round < 20; round++) {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first]
    const { data } = await callTool(writer, 'memory_store', { content: `the answer is number${round}` })
    const { text } = await callTool(reader, 'memory_search', { query: `number${round}` })
    t.true(text.includes(data.id), text)
  }
  // An older revision answers by a stream, whose headers are sent before the tool runs.
  const saved = await callModern(a, 'memory_store', { content: 'the gate is green' })
  t.true(Number(saved.headers.get('x-memory-change')) > 0)
  const unknown = await callModern(b, 'memory_search', { query: 'gate' }, { 'x-memory-after': '1000000' })
  t.regex(unknown.headers.get('x-memory-behind') ?? '', /^\d+$/u)
})

/** The statement that looks for changes. */
const look = 'SELECT key, value FROM meta'
/** Long before the server or a limit of statements would end a connection. */
const hangsAtMostMs = 12_000

for (const [what, hang] of Object.entries<(daemon: Daemon) => number>({
  'the connections that ask for changes hang': ({ proxy }) => proxy.hang(look),
  'all connections hang': ({ proxy }) => {
    proxy.stop()
    proxy.forget()
    return 1
  },
}))
  test(`a daemon follows the others while ${what}`, async t => {
    const [a, b] = (await daemons(t, 2)) as [Daemon, Daemon]
    await soon(t, async () => finds(b, 'deploy', await a.remember('the deploy runs on Tuesdays')))
    for (let round = 0; round < 3; round++) {
      t.true(hang(b) > 0)
      const id = await a.remember(`the answer is number${round}`)
      const begun = performance.now()
      await until(() => finds(b, `number${round}`, id).catch(() => false))
      const tookMs = performance.now() - begun
      t.log({ round, tookMs: Math.round(tookMs) })
      t.true(tookMs < hangsAtMostMs)
    }
  })

test('a daemon that gets no changes of others is not ready, and says so', async t => {
  const [a, b] = (await daemons(t, 2)) as [Daemon, Daemon]
  t.is((await b.call('GET /health/ready')).status, 200)
  b.proxy.cutBefore(look)
  b.proxy.drop()
  const { body } = await until(async () => {
    const reply = await b.call('GET /health/ready')
    return reply.body.checks.database.ok && !reply.body.ready ? reply : undefined
  })
  t.regex(body.checks.index.detail ?? '', /^ready, 0 memories, 1\d s behind other daemons$/u)
  const { body: status } = await b.call('GET /api/status')
  t.regex(stateText(status, colorsFor({})), /index .*B, 1\d s behind other daemons$/mu)
  t.true((await a.call('GET /health/ready')).body.ready)
  b.proxy.mend()
  await until(async () => (await b.call('GET /health/ready')).body.ready)
  t.is((await b.call('GET /api/status')).body.index.behindSeconds, undefined)
})

async function callModern(at: Daemon, name: string, args: object, headers: object = {}): Promise<Response> {
  const version = '2026-07-28'
  const prefix = 'io.modelcontextprotocol/'
  const _meta = {
    [`${prefix}protocolVersion`]: version,
    [`${prefix}clientInfo`]: { name: 'test', version: '1' },
    [`${prefix}clientCapabilities`]: {},
  }
  const response = await fetch(`${at.url}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: args, _meta },
    }),
  })
  await response.text()
  return response
}
