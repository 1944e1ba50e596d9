// runs: in turn

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import test from 'ava'
import { createLog } from '../../../src/daemon/process/log.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { rawAnswer } from '../../helpers/raw-http.js'
import { startTeam } from '../../helpers/team.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

/** fetch does not allow a custom Host. */
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

test('a proxy may use a team daemon’s public name; foreign pages and MCP under other names are refused', async t => {
  const { url, admin } = await startTeam(t)
  const proxied = { host: 'memory.example.org', ...admin }
  t.is((await ask(url, '/api/memories', proxied))[0], 200)
  t.is((await ask(url, '/api/memories', { ...proxied, origin: 'https://memory.example.org' }))[0], 200)
  t.is((await ask(url, '/api/memories', { ...proxied, origin: 'https://evil.example' }))[0], 403)
  t.regex((await ask(url, '/mcp', proxied))[1], /forbidden_host/)
})

test('a hybrid daemon on loopback answers only to loopback names (rules.md#hosts-and-origins)', async t => {
  const { url, admin } = await startTeam(t, { settings: { auth: { mode: 'hybrid' } } })
  t.regex((await ask(url, '/api/memories', { host: 'memory.example.org', ...admin }))[1], /forbidden_host/)
})

test('every reply has the security headers, and none allows other origins', async t => {
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

test('a client that does not finish its headers is disconnected', async t => {
  const { url, call } = await startDaemon(t)
  const answer = await rawAnswer(url, 'GET /health HTTP/1.1\r\nx: ')
  t.regex(answer, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
  t.is((await call('GET /health')).status, 200)
})

test('auth events are logged with actor, action and address, without any credential', async t => {
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

/** Opens a connection per request, sends it, and resets the connection at once. */
const sendAndReset = `
  const { connect } = require('node:net')
  const [port, ...requests] = process.argv.slice(1)
  for (const request of requests) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(request, () => socket.resetAndDestroy())
  }`

/**
 * Starts sessions in a folder until one has a project: a session does not wait for the first look at a folder
 * on a busy machine.
 */
async function knowFolder({ call }: Pick<TestDaemon, 'call'>, cwd: string, headers = {}): Promise<void> {
  const state = { sessions: 0 }
  await until(async () => {
    const key = `a look ${state.sessions++}`
    const body = { harness: 'codex', sessionKey: key, cwd }
    await call('POST /api/hooks/session-start', { body, headers })
    return (await call('GET /api/sessions/:key', { params: { key }, headers })).body.project ?? undefined
  })
}

test('a caller through a proxy can neither capture conversations of this machine nor probe its files (security.md 5.1)', async t => {
  const home = temporaryFolder(t, 'memory-service-test')
  const said = join(home, 'projects', 'said.jsonl')
  const repository = join(home, 'shop')
  for (const folder of ['projects', 'shop/.git/objects', 'shop/src'])
    mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(said, '{"role":"user","text":"the harbour"}')
  const { call, token } = await startTeam(t, { environment: { CLAUDE_CONFIG_DIR: home } })
  const member = token({ role: 'agent' })
  const cwd = join(repository, 'src')
  const endOf = async (sessionKey: string, headers: Record<string, string>) => {
    const start = { harness: 'codex', sessionKey, cwd }
    await call('POST /api/hooks/session-start', { body: start, headers })
    const shown = await call('GET /api/sessions/:key', { params: { key: sessionKey }, headers })
    const end = { harness: 'codex', sessionKey, transcriptPath: said }
    return [shown.body.project, (await call('POST /api/hooks/session-end', { body: end, headers })).status]
  }
  await knowFolder({ call }, cwd, member)
  t.deepEqual(await endOf('here', member), [repository, 200])
  t.deepEqual(await endOf('there', { ...member, 'x-forwarded-for': '203.0.113.9' }), [cwd, 400])
  const faultOf = async (transcriptPath: string) => {
    const body = { harness: 'codex', sessionKey: 's', transcriptPath }
    const { error = '' } = (await call('POST /api/hooks/session-end', { body, headers: member })).body
    return error.replace(transcriptPath, '')
  }
  t.is(
    await faultOf('/etc'),
    await faultOf('/etc-is-not-here'),
    'existing and missing paths get the same error',
  )
})

test('a client that disconnected before its request is read cannot name files of this machine', async t => {
  if (process.platform !== 'linux') return t.log('other systems do not accept such a connection')
  const { url, call, token, admin } = await startTeam(t, { settings: { auth: { folders: { '*': ['/'] } } } })
  const { port, host } = new URL(url)
  const requests = ['filesystem', 'clouddrive'].map(provider => {
    const body = JSON.stringify({ provider, settings: { rootPath: '/etc' } })
    const head = [
      'POST /api/connectors HTTP/1.1',
      `host: ${host}`,
      `authorization: ${token({ role: 'operator' }).authorization}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ]
    return `${head.join('\r\n')}\r\n\r\n${body}`
  })
  // This process is the daemon: it accepts the connections after their client has ended.
  spawnSync(process.execPath, ['--eval', sendAndReset, port, ...requests])
  const providers = await until(async () => {
    const { connectors } = (await call('GET /api/connectors', { headers: admin })).body
    return connectors.some(({ provider }) => provider === 'clouddrive')
      ? connectors.map(({ provider }) => provider)
      : undefined
  })
  t.deepEqual(providers, ['clouddrive'], 'with an unknown address it counts as remote')
})

test('in local mode a disconnected client of this machine still has its conversation captured, unless it is proxied', async t => {
  if (process.platform !== 'linux') return t.log('other systems do not accept such a connection')
  const home = temporaryFolder(t, 'memory-service-test')
  const repository = join(home, 'shop')
  const cwd = join(repository, 'src')
  const said = join(home, 'said.jsonl')
  for (const folder of ['shop/.git/objects', 'shop/src']) mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(said, '{"role":"user","text":"the harbour"}')
  const { url, call } = await startDaemon(t)
  const { port, host } = new URL(url)
  const requestOf = (path: string, fields: object, ...more: string[]) => {
    const body = JSON.stringify({ cwd, ...fields })
    const about = ['content-type: application/json', `content-length: ${body.length}`, ...more]
    return [`POST /api/hooks/${path} HTTP/1.1`, `host: ${host}`, ...about, '', body].join('\r\n')
  }
  const endOf = (sessionKey: string) => ({ harness: 'codex', sessionKey, transcriptPath: said })
  await knowFolder({ call }, cwd)
  // This process is the daemon: it accepts the connections after their client has ended.
  spawnSync(process.execPath, [
    ...['--eval', sendAndReset, port],
    requestOf('session-end', endOf('proxied'), 'via: 1.1 proxy'),
    requestOf('session-end', endOf('asked')),
    requestOf('harness/claude-code/session-end', { session_id: 'told', transcript_path: said }),
  ])
  const captured = (key: string) => call('GET /api/sessions/:key/transcript', { params: { key } })
  for (const sessionKey of ['asked', 'told']) {
    await until(async () => (await captured(sessionKey)).status === 200)
    t.is((await captured(sessionKey)).body.project, repository)
  }
  t.is((await captured('proxied')).status, 404)
})

test('a caller through a proxy cannot name files of this machine', async t => {
  const { url, call, token, admin } = await startTeam(t, { settings: { auth: { folders: { '*': ['/'] } } } })
  const operator = token({ role: 'operator' })
  const folder = { provider: 'filesystem', settings: { rootPath: '/etc' } } as const
  const file = { source_type: 'file', url: '/etc/hostname' } as const
  for (const name of ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']) {
    const headers = { ...operator, [name]: 'for=203.0.113.9' }
    t.is((await call('POST /api/connectors', { body: folder, headers })).body.code, 'forbidden', name)
    t.is((await call('POST /api/documents', { body: file, headers })).body.code, 'forbidden', name)
    const backup = { body: { file: '/etc/hostname' }, headers: { ...admin, [name]: 'for=203.0.113.9' } }
    t.is((await call('POST /api/backup/verify', backup)).body.code, 'forbidden', name)
    t.is((await call('GET /api/memories', { headers })).status, 200, name)
  }
  t.is((await call('POST /api/connectors', { body: folder, headers: operator })).status, 201)
  // A tool has its client's HTTP permissions.
  await call('PATCH /api/plugins/:id', {
    params: { id: 'service.codeindex' },
    body: { enabled: true },
    headers: admin,
  })
  const session = { harness: 'x', sessionKey: 's', cwd: process.cwd() }
  await call('POST /api/hooks/session-start', { body: session, headers: operator })
  const asked = async (headers: Record<string, string>) => {
    const client = await connectHttp(t, url, { headers: { ...operator, ...headers } })
    return (await callTool(client, 'service_code_status', { project: process.cwd() })).text
  }
  t.notRegex(await asked({}), /forbidden_project/u)
  t.regex(await asked({ 'x-forwarded-for': '203.0.113.9' }), /forbidden_project/u)
})
