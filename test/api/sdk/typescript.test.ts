import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  Memory,
  NotFoundError,
  RateLimitError,
  UnavailableError,
} from '../../../sdk/typescript/src/index.js'
import { workspacePaths } from '../../../src/lib/workspace/paths.js'
import { startDaemon } from '../../helpers/daemon.js'
import { root } from '../../helpers/source-tree.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

const idle = { env: { SERVICE_NO_AUTOSTART: '1' } }

async function server(t: ExecutionContext, listener: RequestListener): Promise<string> {
  // A connection that is kept may be closed while the machine is busy, which counts as an attempt.
  const http = createServer((request, response) =>
    listener(request, response.setHeader('connection', 'close')),
  )
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  t.teardown(() => http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

async function rows<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of list) all.push(row)
  return all
}

test('a memory is saved, recalled, read, edited, rated, forgotten and recovered', async t => {
  const { url } = await startDaemon(t)
  const memory = new Memory({ url })
  const { id } = await memory.remember('The staging database is Postgres 16', { tags: ['db'], type: 'fact' })
  t.like(await memory.get(id), { content: 'The staging database is Postgres 16', tags: 'db' })
  t.deepEqual(
    (await memory.recall('staging database')).results.map(result => result.id),
    [id],
  )
  t.is((await memory.edit(id, { tags: ['db', 'staging'], reason: 'complete' })).status, 'updated')
  t.is((await memory.rate(id, 'up')).judgement, 'up')
  t.is((await memory.forget(id, { reason: 'moved' })).status, 'deleted')
  t.deepEqual((await memory.recall('staging database')).results, [])
  t.is((await memory.recover(id, { reason: 'still there' })).status, 'recovered')
  t.deepEqual(
    (await memory.history(id)).history.map(({ event }) => event),
    ['created', 'modified', 'deleted', 'recovered'],
  )
  t.is((await memory.status()).host, '127.0.0.1')
})

test('context for a prompt is a text with the memories that answer it', async t => {
  const { url } = await startDaemon(t)
  const memory = new Memory({ url })
  await memory.remember('The staging database is Postgres 16')
  const { text, memories } = await memory.context('which staging database do we use')
  t.true(text.includes('Postgres 16'))
  t.is(memories.length, 1)
  t.deepEqual(await memory.context('zebra crossings in winter'), { text: '', memories: [] })
})

test('lists and searches go through all pages', async t => {
  const { url } = await startDaemon(t)
  const memory = new Memory({ url })
  for (let number = 0; number < 7; number++) await memory.remember(`The harbour has berth number ${number}`)
  t.is((await rows(memory.list({ limit: 3 }))).length, 7)
  const found = await rows(memory.search('harbour berth', { limit: 3 }))
  t.is(new Set(found.map(({ id }) => id)).size, 7)
  const lines = await rows(memory.export())
  t.is(lines.filter(({ kind }) => kind === 'memory').length, 7)
})

test('documents are added, awaited, read and removed', async t => {
  const { url } = await startDaemon(t)
  const { documents } = new Memory({ url })
  const { id } = await documents.addText('# Lighthouse\n\nThe keeper is called Ida.', { title: 'Lighthouse' })
  t.like(await documents.ready(id), { status: 'done', title: 'Lighthouse' })
  t.true((await documents.passages(id))[0]?.content.includes('Ida'))
  t.is((await rows(documents.list())).length, 1)
  t.true((await documents.remove(id, { reason: 'old' })).deleted)
})

test('a session gets context, and what it said is found afterwards', async t => {
  const { url } = await startDaemon(t)
  const memory = new Memory({ url })
  await memory.remember('Deploy with make ship', { type: 'rule' })
  const started = await memory.sessions.start('s1')
  t.true('inject' in started && started.inject.includes('make ship'))
  t.is(typeof (await memory.sessions.prompt('s1', 'How do we deploy?')).inject, 'string')
  t.deepEqual(
    (await memory.sessions.list()).map(({ key }) => key),
    ['s1'],
  )
  const transcript = [
    { role: 'user', content: 'How do we deploy the crane?' },
    { role: 'assistant', content: 'With make ship, after the crane is parked in the northern hall.' },
  ]
  t.is((await memory.sessions.end('s1', { transcript })).transcript, 'queued')
  let hits = await memory.sessions.search('northern hall')
  while (hits.length === 0) hits = await memory.sessions.search('northern hall')
  t.is(hits[0]?.sessionKey, 's1')
  t.true((await memory.sessions.turns('s1')).total > 0)
})

test('changes arrive while they happen, until the signal aborts', async t => {
  const { url } = await startDaemon(t)
  const memory = new Memory({ url })
  const ending = new AbortController()
  const kinds: string[] = []
  await t.throwsAsync(
    async () => {
      for await (const change of memory.changes({ signal: ending.signal })) {
        if (change.type === 'connected') await memory.remember('A change to be seen')
        if (change.type === 'changed') kinds.push(change.kind)
        if (change.type === 'changed') ending.abort()
      }
    },
    { any: true, name: 'AbortError' },
  )
  t.deepEqual(kinds, ['remembered'])
})

test('errors of the service have classes of their own', async t => {
  const { url } = await startDaemon(t)
  const memory = new Memory({ url })
  const missing = await t.throwsAsync(memory.get('00000000-0000-7000-8000-000000000000'), {
    instanceOf: NotFoundError,
  })
  t.like(missing, { status: 404, code: 'not_found' })
  t.truthy(missing.requestId)
  await t.throwsAsync(memory.recall('x', { limit: 'many' as never }), { instanceOf: InvalidRequestError })
  const { id } = await memory.remember('A pinned rule', { pinned: true })
  await t.throwsAsync(memory.forget(id, { reason: 'test' }), { instanceOf: ConflictError })
})

test('a key is sent, and a missing one is an AuthenticationError', async t => {
  const { url, daemon } = await startDaemon(t, { settings: { auth: { mode: 'team' } } })
  t.truthy(daemon)
  await t.throwsAsync(new Memory({ url }).status(), { instanceOf: AuthenticationError })
  await t.throwsAsync(new Memory({ url, key: 'svc_sk_wrong' }).status(), { instanceOf: AuthenticationError })
})

test('a save whose reply was lost is sent again with the same key', async t => {
  const keys: unknown[] = []
  const url = await server(t, async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    keys.push(JSON.parse(text).idempotencyKey)
    if (keys.length < 3) response.destroy()
    else response.setHeader('content-type', 'application/json').end('{"id":"1"}')
  })
  t.is((await new Memory({ url }).remember('once')).id, '1')
  t.is(keys.length, 3)
  t.is(new Set(keys).size, 1)
})

test('one idempotency key saves one memory', async t => {
  const { url, call } = await startDaemon(t)
  const memory = new Memory({ url })
  const first = await memory.remember('Saved with a key', { idempotencyKey: 'k1' })
  t.is((await memory.remember('Saved with a key', { idempotencyKey: 'k1' })).id, first.id)
  t.is((await call('GET /api/memories')).body.memories.length, 1)
})

test('a change that may have happened is not sent again; a refused one is', async t => {
  const seen: string[] = []
  const url = await server(t, (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (request.method === 'DELETE') response.destroy()
    else if (seen.length < 4)
      response
        .writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' })
        .end('{"code":"starting"}')
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"updated"}')
  })
  const memory = new Memory({ url })
  await t.throwsAsync(memory.forget('1', { reason: 'x' }), { instanceOf: ConnectionError })
  t.is(seen.length, 1)
  t.is((await memory.edit('1', { reason: 'x' })).status, 'updated')
  t.is(seen.length, 4)
})

test('retries end, and their error says why', async t => {
  const counts = new Map<string, number>()
  const url = await server(t, (request, response) => {
    const path = request.url ?? ''
    counts.set(path, (counts.get(path) ?? 0) + 1)
    const status = path === '/api/status' ? 429 : 507
    const code = status === 429 ? 'rate_limited' : 'insufficient_storage'
    response
      .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
      .end(JSON.stringify({ error: 'no', code }))
  })
  const memory = new Memory({ url, retries: 2 })
  await t.throwsAsync(memory.status(), { instanceOf: RateLimitError })
  await t.throwsAsync(memory.get('1'), { instanceOf: UnavailableError })
  t.deepEqual([...counts.values()], [3, 1])
})

test('a service that does not reply is given up after the time limit', async t => {
  const url = await server(t, () => undefined)
  const error = await t.throwsAsync(new Memory({ url, timeoutMs: 50, retries: 0 }).status(), {
    instanceOf: ConnectionError,
  })
  t.is(error.code, 'timeout')
})

test('the daemon of a workspace is found, also after it moved to another port', async t => {
  const first = await startDaemon(t)
  const workspace = first.paths.root
  const memory = new Memory({ workspace })
  const { id } = await memory.remember('Found without an address')
  await first.stop()
  await startDaemon(t, { workspace })
  t.is((await memory.get(id)).id, id)
})

test.serial('nothing is sent to a program that is not the daemon, and no daemon is an error', async t => {
  const before = process.env.SERVICE_NO_AUTOSTART
  process.env.SERVICE_NO_AUTOSTART = idle.env.SERVICE_NO_AUTOSTART
  t.teardown(() => {
    if (before === undefined) delete process.env.SERVICE_NO_AUTOSTART
    else process.env.SERVICE_NO_AUTOSTART = before
  })
  const paths: (string | undefined)[] = []
  const url = await server(t, (request, response) => {
    paths.push(request.url)
    response.end('{}')
  })
  const workspace = temporaryFolder(t, 'memory-service-sdk')
  const memory = new Memory({ workspace, retries: 0 })
  const absent = await t.throwsAsync(memory.status(), { instanceOf: ConnectionError })
  t.is(absent.code, 'not_running')
  t.true(absent.message.includes('memory daemon start'))
  const { registration } = workspacePaths(workspace)
  mkdirSync(dirname(registration), { recursive: true })
  const port = Number(new URL(url).port)
  writeFileSync(registration, JSON.stringify({ host: '127.0.0.1', port, instance: 'secret' }))
  await t.throwsAsync(memory.remember('a secret'), { instanceOf: ConnectionError })
  t.deepEqual(paths, ['/health'])
})

test('a bundle for browsers has no module of Node', async t => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: `export * from './sdk/typescript/src/index.ts'`, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    plugins: [
      {
        name: 'field-browser',
        setup({ onResolve }) {
          onResolve({ filter: /\/local\.js$/ }, () => ({ path: `${root}/sdk/typescript/src/no-local.ts` }))
        },
      },
    ],
  })
  t.false(/node:|require\(/u.test(outputFiles[0]?.text ?? ''))
})
