import { request as httpRequest } from 'node:http'
import test from 'ava'
import { createLog } from '../../../src/daemon/process/log.js'
import { startDaemon } from '../../helpers/daemon.js'
import { rawAnswer } from '../../helpers/raw-http.js'
import { startTeam } from '../../helpers/team.js'

/** fetch does not let a Host be chosen. */
function ask(url: string, path: string, headers: Record<string, string>): Promise<[number, string]> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve([response.statusCode ?? 0, Buffer.concat(chunks).toString()]))
    })
    request.on('error', reject)
    request.end()
  })
}

test('a proxy may pass its public name to a team’s daemon; a foreign page and MCP by another name are refused', async t => {
  const { url, admin } = await startTeam(t)
  const proxied = { host: 'memory.example.org', ...admin }
  t.is((await ask(url, '/api/memories', proxied))[0], 200)
  t.is((await ask(url, '/api/memories', { ...proxied, origin: 'https://memory.example.org' }))[0], 200)
  t.is((await ask(url, '/api/memories', { ...proxied, origin: 'https://evil.example' }))[0], 403)
  t.regex((await ask(url, '/mcp', proxied))[1], /forbidden_host/)
})

test('a hybrid daemon on loopback answers to loopback names only (rules.md#hosts-and-origins)', async t => {
  const { url, admin } = await startTeam(t, { settings: { auth: { mode: 'hybrid' } } })
  t.regex((await ask(url, '/api/memories', { host: 'memory.example.org', ...admin }))[1], /forbidden_host/)
})

test('every reply carries the security headers, and none opens itself to other origins', async t => {
  const { url } = await startTeam(t)
  for (const path of ['/health', '/docs', '/api/memories', '/api/none']) {
    const { headers } = await fetch(url + path)
    t.is(headers.get('x-content-type-options'), 'nosniff', path)
    t.is(headers.get('x-frame-options'), 'DENY', path)
    t.is(headers.get('referrer-policy'), 'no-referrer', path)
    t.is(headers.get('cache-control'), 'no-store', path)
    t.regex(headers.get('content-security-policy') ?? '', /default-src 'none'/, path)
    t.is(headers.get('access-control-allow-origin'), null, path)
  }
})

test('a client that does not finish its headers is cut off', async t => {
  const { url, call } = await startDaemon(t)
  const answer = await rawAnswer(url, 'GET /health HTTP/1.1\r\nx: ')
  t.regex(answer, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
  t.is((await call('GET /health')).status, 200)
})

test('auth events are logged with who, what and from where, without any credential', async t => {
  const lines: string[] = []
  const log = createLog({ write: line => void lines.push(line) }, 'info')
  const { call, key, admin, token } = await startTeam(t, {
    log,
    environment: { SERVICE_ADMIN_PASSWORD: 'open sesame' },
  })
  const made = await key({ name: 'ci', role: 'readonly' })
  await call('GET /api/status', { headers: made.headers })
  await call('GET /api/memories', { headers: { authorization: 'Bearer svc_sk_wrong-credential' } })
  await call('POST /api/auth/login', { body: { username: 'typed-by-mistake', password: 'wrong-password' } })
  const session = await call('POST /api/auth/login', { body: { username: 'admin', password: 'open sesame' } })
  const issued = await call('POST /api/auth/token', { body: { role: 'agent' }, headers: admin })
  await call('GET /api/memories', {
    query: { agentId: 'other' },
    headers: token({ role: 'agent', scope: { agent: 'one' } }),
  })
  await call('DELETE /api/auth/keys/:idOrPrefix', { params: { idOrPrefix: made.id }, headers: admin })
  const events = lines.map(line => JSON.parse(line) as Record<string, unknown>).filter(line => line.audit)
  t.deepEqual(
    events.map(({ audit, code }) => (code ? `${audit} ${code}` : audit)),
    [
      'key-created',
      'denied forbidden',
      'denied unauthenticated',
      'login-failed',
      'login',
      'token-issued',
      'denied scope_violation',
      'key-revoked',
    ],
  )
  t.like(events[1], { actor: 'ci', peer: '127.0.0.1', method: 'GET', route: '/api/status' })
  t.deepEqual(
    events.filter(({ peer }) => peer !== '127.0.0.1'),
    [],
  )
  const secrets = [
    made.key,
    session.body.token,
    issued.body.token,
    'wrong-credential',
    'wrong-password',
    'sesame',
  ]
  for (const secret of [...secrets, 'typed-by-mistake']) t.false(lines.join('').includes(secret), secret)
})
