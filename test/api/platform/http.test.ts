import { request as httpRequest } from 'node:http'
import { Validator } from '@seriousme/openapi-schema-validator'
import test from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import type { EndpointShape } from '../../../src/contract/ground/endpoint.js'
import { startDaemon } from '../../helpers/daemon.js'
import { rawAnswer } from '../../helpers/raw-http.js'

const all = endpoints as readonly EndpointShape[]
const post = (
  url: string,
  body: string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => fetch(url, { method: 'POST', headers, body })

test('GET /health identifies the service (rules.md#health-and-status)', async t => {
  const { call, paths } = await startDaemon(t)
  const { status, body } = await call('GET /health')
  t.is(status, 200)
  t.like(body, { status: 'healthy', pid: process.pid, workspace: paths.root })
})

test('GET /health/ready reports each check; a missing embedder does not make it unready (rules.md#health-and-status)', async t => {
  const { call } = await startDaemon(t)
  const { status, body } = await call('GET /health/ready')
  t.is(status, 200)
  t.true(body.ready)
  t.deepEqual(
    Object.entries(body.checks).map(([name, { ok }]) => [name, ok]),
    [
      ['database', true],
      ['index', true],
      ['embedding', false],
      ['migrations', true],
    ],
  )
})

test('GET /api/status shows mode, embedding, index and health (rules.md#health-and-status)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('one')
  const { body } = await call('GET /api/status')
  t.like(body, { memories: 1, bypassedSessions: 0, pid: process.pid })
  t.like(body.pipeline, { mode: 'controlled-write', mutationsFrozen: false })
  t.like(body.embedding, { provider: 'none', available: false })
  t.like(body.health, { score: 1, status: 'healthy' })
})

test('the OpenAPI document is valid 3.1 and contains every endpoint', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('GET /openapi.json')
  const { valid, errors } = await new Validator().validate(structuredClone(body))
  t.true(valid, JSON.stringify(errors))
  const paths = body.paths as Record<string, object>
  for (const { method, path } of all)
    t.true(method.toLowerCase() in (paths[path.replace(/:(\w+)/gu, '{$1}')] ?? {}), path)
})

test('the OpenAPI document has one tag per subject, across all of its addresses', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('GET /openapi.json')
  const operations = Object.values(body.paths as Record<string, object>).flatMap(path => Object.values(path))
  t.deepEqual([...new Set(operations.flatMap(({ tags }) => tags as string[]))].sort(), [
    ...[
      'agents',
      'analytics',
      'auth',
      'backup',
      'code',
      'connectors',
      'daemon',
      'diagnostics',
      'docs',
      'documents',
      'dream',
      'embedding',
    ],
    'export',
    ...[
      'git',
      'harnesses',
      'health',
      'hooks',
      'import',
      'inference',
      'items',
      'logs',
      'memory',
      'messages',
      'metrics',
      'ontology',
      'pipeline',
      'plugins',
      'projects',
      'repair',
      'search',
    ],
    ...['secrets', 'sessions', 'settings', 'skills', 'sources', 'status', 'storage', 'sync'],
    ...['synthesis', 'tasks', 'telemetry', 'timeline', 'update', 'workspace-key'],
  ])
})

test('every endpoint of the contract is bound and declares its permission', async t => {
  const { url } = await startDaemon(t)
  for (const { method, path, aliases = [], permission } of all) {
    t.truthy(permission)
    for (const address of [path, ...aliases]) {
      if (address === '/api/daemon/shutdown') continue
      const response = await fetch(url + address.replace(/:\w+/gu, 'x'), { method })
      const { code } = (
        response.headers.get('content-type')?.includes('/json') ? await response.json() : {}
      ) as { code?: string }
      t.false(response.status === 404 && code === undefined, address)
      t.not(code, 'internal', address)
      t.not(response.status, 405, address)
    }
  }
})

test('the documentation is a page without scripts', async t => {
  const { url } = await startDaemon(t)
  const response = await fetch(`${url}/docs`)
  t.is(response.headers.get('content-type'), 'text/html; charset=utf-8')
  t.regex(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const page = await response.text()
  for (const { path } of all) t.true(page.includes(path), path)
  t.false(page.includes('<script'))
})

test('unknown routes and wrong methods return JSON (rules.md#conventions)', async t => {
  const { url } = await startDaemon(t)
  const unknown = await fetch(`${url}/api/nope?secret=1`)
  t.is(unknown.status, 404)
  t.is(((await unknown.json()) as { code: string }).code, 'not_found')
  const wrong = await fetch(`${url}/api/memory/recall`)
  t.is(wrong.status, 404)
  const method = await fetch(`${url}/api/memory/remember`, { method: 'PUT' })
  t.is(method.status, 405)
  t.is(method.headers.get('allow'), 'POST')
})

test('HEAD answers like GET, without the body (rules.md#conventions)', async t => {
  const { url, remember } = await startDaemon(t)
  const id = await remember('a head has no body')
  const headersOf = async (method: string, path: string) => {
    const response = await fetch(`${url}${path}`, { method, redirect: 'manual' })
    const names = ['content-type', 'content-length', 'content-security-policy', 'location', 'allow']
    const headers = names.map(name => [name, response.headers.get(name)])
    return { status: response.status, headers, text: await response.text() }
  }
  for (const path of [`/api/memory/${id}`, '/api/memories?limit=x', '/docs', '/ui', '/ui/none', '/nowhere']) {
    const [get, head] = [await headersOf('GET', path), await headersOf('HEAD', path)]
    // Errors for unknown addresses contain address and method.
    if (path === '/nowhere') t.is(head.status, get.status)
    else if (path !== '/ui/none') t.deepEqual({ ...head, text: '' }, { ...get, text: '' }, path)
    t.is(head.text, '', path)
  }
  const stream = await fetch(`${url}/api/memories/stream`, { method: 'HEAD' })
  t.is(stream.status, 200)
  t.is(stream.headers.get('content-type'), 'text/event-stream')
  t.is(await stream.text(), '', 'it ends')
  for (const path of ['/api/memory/recall', '/mcp'])
    t.is((await fetch(`${url}${path}`, { method: 'HEAD' })).status, 404, path)
})

test('every reply has its own request id (rules.md#conventions)', async t => {
  const { url } = await startDaemon(t)
  const ids = await Promise.all(
    ['/health', '/nope', '/api/memories?limit=-1'].map(async path =>
      (await fetch(url + path)).headers.get('x-request-id'),
    ),
  )
  t.is(new Set(ids).size, 3)
  t.true(ids.every(Boolean))
})

test('different kinds of malformed bodies get different errors (rules.md#conventions)', async t => {
  const { url } = await startDaemon(t)
  const save = `${url}/api/memory/remember`
  const outcome = async (response: Response) => [
    response.status,
    ((await response.json()) as { code: string }).code,
  ]
  t.deepEqual(await outcome(await post(save, '{"content":')), [400, 'invalid_json'])
  t.deepEqual(await outcome(await post(save, '{"content":"x","__proto__":{"a":1}}')), [400, 'invalid_json'])
  t.deepEqual(await outcome(await post(save, '')), [400, 'validation_failed'])
  t.deepEqual(await outcome(await post(save, '[]')), [400, 'validation_failed'])
  t.deepEqual(await outcome(await post(save, 'null')), [400, 'validation_failed'])
  t.deepEqual(
    await outcome(await post(save, 'content=x', { 'content-type': 'application/x-www-form-urlencoded' })),
    [415, 'unsupported_media_type'],
  )
  t.deepEqual(await outcome(await post(save, 'x', { 'content-type': 'text/plain' })), [
    415,
    'unsupported_media_type',
  ])
  const huge = JSON.stringify({ content: 'x'.repeat(10 * 1024 * 1024) })
  // A client still sending its body gets the error instead of a reset.
  for (let turn = 0; turn < 8; turn++)
    t.deepEqual(await outcome(await post(save, huge)), [413, 'payload_too_large'])
  const deep = `{"content":"x","structured":{"entities":${'['.repeat(200)}${']'.repeat(200)}}}`
  t.deepEqual(await outcome(await post(save, deep)), [400, 'validation_failed'])
})

for (const [what, content] of [
  ['NUL', 'a\\u0000b'],
  ['a lone surrogate', 'a\\ud800b'],
] as const)
  test(`text with ${what} is refused before anything is stored (rules.md#conventions)`, async t => {
    const { url, call } = await startDaemon(t)
    for (const body of [
      `{"content":"${content}"}`,
      `{"content":"x","metadata":{"${content}":1}}`,
      `{"content":"x","tags":["${content}"]}`,
    ]) {
      const response = await post(`${url}/api/memory/remember`, body)
      t.is(response.status, 400)
      t.is(((await response.json()) as { code: string }).code, 'validation_failed')
    }
    t.is((await call('GET /api/memories')).body.stats.total, 0)
  })

test('a foreign Host or Origin is refused (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t)
  const { port } = new URL(url)
  const ask = (headers: Record<string, string>) =>
    new Promise<[number, string]>((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, path: '/health', headers }, response => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on('end', () =>
          resolve([response.statusCode ?? 0, (JSON.parse(text) as { code?: string }).code ?? 'ok']),
        )
      })
      request.on('error', reject)
      request.end()
    })
  t.deepEqual(await ask({ host: 'evil.example' }), [403, 'forbidden_host'])
  t.deepEqual(await ask({ host: `evil.example:${port}` }), [403, 'forbidden_host'])
  t.deepEqual(await ask({ origin: 'https://evil.example' }), [403, 'forbidden_origin'])
  t.deepEqual(await ask({ origin: 'null' }), [403, 'forbidden_origin'])
  t.deepEqual(await ask({ origin: `http://127.0.0.1:${port}` }), [200, 'ok'])
  t.deepEqual(await ask({ host: `localhost:${port}` }), [200, 'ok'])
  t.deepEqual(await ask({ host: `[::1]:${port}` }), [200, 'ok'])
})

test('bytes that are not HTTP get a JSON reply and do no harm', async t => {
  const { url, call } = await startDaemon(t)
  t.regex(await rawAnswer(url, 'hello there\r\n\r\n'), /400 Bad Request[\s\S]*"code":"validation_failed"/)
  t.regex(
    await rawAnswer(url, `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`),
    /431[\s\S]*"code":"headers_too_large"/,
  )
  t.is((await call('GET /health')).status, 200)
})

test('an internal error shows only its request id (rules.md#conventions)', async t => {
  const { daemon, url } = await startDaemon(t)
  await daemon.store.close()
  const response = await fetch(`${url}/api/memories`)
  t.is(response.status, 500)
  const body = (await response.json()) as Record<string, string>
  t.is(body.code, 'internal')
  t.is(body.requestId, response.headers.get('x-request-id') ?? '')
  t.notRegex(JSON.stringify(body), /sqlite|stack|\/src\/|driver/i)
})
