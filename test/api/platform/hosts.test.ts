import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { rawOutcome } from '../../helpers/raw-http.js'
import { bearer, startTeam } from '../../helpers/team.js'

const open = { SERVICE_HOST: '0.0.0.0' }
const refused: [number, string] = [403, 'forbidden_host']

test('a DNS-rebinding page gets no key from a hybrid daemon on a network address (rules.md#hosts-and-origins)', async t => {
  const { url, call, admin } = await startTeam(t, {
    environment: open,
    settings: { auth: { mode: 'hybrid' } },
  })
  const body = JSON.stringify({ name: 'theirs', role: 'admin' })
  const newKey = (host: string, more: readonly string[] = []) =>
    rawOutcome(url, {
      line: 'POST /api/auth/keys',
      headers: [`host: ${host}`, 'content-type: application/json', ...more],
      body,
    })
  t.deepEqual(await newKey('evil.example'), refused)
  t.deepEqual(await newKey('evil.example:3850', ['origin: http://evil.example:3850']), refused)
  t.deepEqual((await call('GET /api/auth/keys', { headers: admin })).body.keys, [])
  t.deepEqual(await newKey('127.0.0.1'), [201, 'ok'])
})

for (const mode of ['local', 'team', 'hybrid'] as const)
  for (const host of ['127.0.0.1', '0.0.0.0'])
    test(`mode ${mode} on ${host} accepts local callers without a credential only under a loopback name (rules.md#hosts-and-origins)`, async t => {
      const { url } = await startDaemon(t, {
        environment: { SERVICE_HOST: host },
        settings: { auth: { mode, openToNetwork: true } },
      })
      const health = (name: string) => rawOutcome(url, { line: 'GET /health', headers: [`host: ${name}`] })
      t.deepEqual(await health('evil.example'), refused)
      t.deepEqual(await health('192.168.1.5:3850'), refused)
      t.deepEqual(await health(''), refused)
      for (const own of ['127.0.0.1', 'localhost:3850', '[::1]:3850', 'LOCALHOST'])
        t.deepEqual(await health(own), [200, 'ok'], own)
    })

test('a credential permits another Host only on routes that check it (rules.md#hosts-and-origins)', async t => {
  const { url, admin } = await startTeam(t, { environment: open })
  const ask = (path: string, credential: string) =>
    rawOutcome(url, {
      line: `GET ${path}`,
      headers: ['host: memory.example.org', `authorization: ${credential}`],
    })
  t.deepEqual(await ask('/api/memories', admin.authorization), [200, 'ok'])
  t.deepEqual(await ask('/api/memories', bearer('made-up').authorization), [401, 'unauthenticated'])
  // /health checks no credential, and a page can send any.
  t.deepEqual(await ask('/health', bearer('made-up').authorization), refused)
})

test('a made-up credential does not open a local daemon to another name (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t, {
    environment: open,
    settings: { auth: { mode: 'local', openToNetwork: true } },
  })
  const headers = ['host: evil.example', 'authorization: Bearer made-up']
  t.deepEqual(await rawOutcome(url, { line: 'GET /api/memories', headers }), refused)
})

for (const [what, headers] of [
  ['two Hosts', ['host: 127.0.0.1', 'host: evil.example']],
  ['two identical Hosts', ['host: 127.0.0.1', 'Host: 127.0.0.1']],
  ['a Host with a user name', ['host: 127.0.0.1:1@evil.example']],
  ['a Host with a path', ['host: 127.0.0.1/evil']],
  ['a Host with an invalid port', ['host: 127.0.0.1:port']],
  ['a Host with text after its bracket', ['host: [::1]evil.example']],
] as const)
  test(`a request with ${what} is refused in every mode (rules.md#hosts-and-origins)`, async t => {
    const local = await startDaemon(t)
    t.deepEqual(await rawOutcome(local.url, { line: 'GET /health', headers }), refused)
    const team = await startTeam(t)
    const withKey = [...headers, `authorization: ${team.admin.authorization}`]
    t.deepEqual(await rawOutcome(team.url, { line: 'GET /api/memories', headers: withKey }), refused)
  })

test('a request target with another host than the Host header is refused (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t)
  const ask = (line: string) => rawOutcome(url, { line: `GET ${line}`, headers: ['host: 127.0.0.1:3850'] })
  for (const line of [
    'http://evil.example/health',
    'http://127.0.0.1:3850@evil.example/health',
    'http://127.0.0.1:1/health',
  ])
    t.deepEqual(await ask(line), refused, line)
  t.deepEqual(await ask('http://127.0.0.1:3850/health'), [200, 'ok'])
})

test('an HTTP/1.0 request without a Host is refused (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t)
  t.deepEqual(await rawOutcome(url, { line: 'GET /health', headers: [], version: '1.0' }), refused)
})

test('the daemon’s three names are not foreign origins to each other (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t)
  const { port } = new URL(url)
  const ask = (origin: string) =>
    rawOutcome(url, { line: 'GET /health', headers: [`host: 127.0.0.1:${port}`, `origin: ${origin}`] })
  for (const own of ['127.0.0.1', 'localhost', '[::1]'])
    t.deepEqual(await ask(`http://${own}:${port}`), [200, 'ok'])
  for (const foreign of [`https://localhost:${port}`, 'http://localhost:1', `http://evil.localhost:${port}`])
    t.deepEqual(await ask(foreign), [403, 'forbidden_origin'], foreign)
})

test('requests of pages of another site are refused without an Origin too, but for a link to the web page (rules.md#hosts-and-origins)', async t => {
  const { url } = await startDaemon(t)
  const ask = (path: string, ...fields: string[]) =>
    rawOutcome(url, { line: `GET ${path}`, headers: ['host: 127.0.0.1', ...fields] })
  const [cross, link] = ['sec-fetch-site: cross-site', 'sec-fetch-mode: navigate']
  for (const path of ['/api/memories', '/api/update/check?force=true', '/health']) {
    t.deepEqual(await ask(path, cross, 'sec-fetch-mode: no-cors'), [403, 'forbidden_origin'], path)
    t.deepEqual(await ask(path, cross, link), [403, 'forbidden_origin'], path)
    t.deepEqual(await ask(path, 'sec-fetch-site: same-site', link), [403, 'forbidden_origin'], path)
  }
  t.deepEqual(await ask('/ui/', cross, 'sec-fetch-mode: no-cors'), [403, 'forbidden_origin'])
  t.not((await ask('/ui/', cross, link))[0], 403)
  t.not((await ask('/?a=1', cross, link))[0], 403)
  for (const site of ['same-origin', 'none'])
    t.is((await ask('/api/memories', `sec-fetch-site: ${site}`))[0], 200, site)
})

test('callers from another machine learn neither the pid nor the workspace from /health', async t => {
  const { url, paths } = await startTeam(t)
  const health = async (headers: Record<string, string>) =>
    (await fetch(new URL('/health', url), { headers })).json() as Promise<object>
  t.like(await health({ 'x-forwarded-for': '203.0.113.9' }), { status: 'healthy', pid: 0, workspace: '' })
  t.like(await health({}), { pid: process.pid, workspace: paths.root })
})
