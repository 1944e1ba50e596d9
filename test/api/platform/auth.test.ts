import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { stringify } from 'yaml'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { bearer, startTeam } from '../../helpers/team.js'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const raw = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
]

test('local mode neither requires nor checks credentials (security.md 5.1)', async t => {
  const { call, paths } = await startDaemon(t)
  const { status, body } = await call('GET /api/auth/whoami', { headers: bearer('svc_sk_nonsense') })
  t.is(status, 200)
  t.like(body, { authenticated: false, mode: 'local', role: 'admin', credential: 'none', scope: {} })
  t.is(body.permissions.length, 11)
  t.false(existsSync(paths.authSecret))
})

test('team mode refuses every request without a valid credential, whether or not the route exists (security.md 5.1)', async t => {
  const { url, call } = await startTeam(t)
  for (const path of ['/api/memories', '/api/status', '/openapi.json', '/docs', '/api/nope'])
    t.deepEqual(await raw(await fetch(url + path)), [401, 'unauthenticated'], path)
  const mcp = await fetch(`${url}/mcp`, { method: 'POST' })
  t.is(mcp.status, 401)
  t.like(await mcp.json(), { jsonrpc: '2.0', error: { data: { code: 'unauthenticated' } } })
  const refused = await call('GET /api/memories')
  t.regex(refused.headers.get('www-authenticate') ?? '', /^Bearer /)
  for (const credential of ['', 'x', 'a.b', 'a.b.c', `svc_sk_${'A'.repeat(43)}`, 'x'.repeat(9000)])
    t.deepEqual(outcome(await call('GET /api/memories', { headers: bearer(credential) })), [
      401,
      'unauthenticated',
    ])
  const basic = { authorization: 'Basic YWRtaW46YWRtaW4=' }
  t.deepEqual(outcome(await call('GET /api/memories', { headers: basic })), [401, 'unauthenticated'])
})

test('/health and /health/ready need no credential in any mode (security.md 5.1)', async t => {
  const { call } = await startTeam(t)
  t.is((await call('GET /health')).status, 200)
  t.is((await call('GET /health/ready', { headers: bearer('nonsense') })).status, 200)
})

test('a missing credential is reported before a missing permission, and that before invalid or missing data (rules.md 7)', async t => {
  const { url, token } = await startTeam(t)
  const send = (path: string, headers: Record<string, string>, body = '{"broken') =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const readonly = token({ role: 'readonly' })
  t.deepEqual(await raw(await send('/api/memory/remember', {})), [401, 'unauthenticated'])
  t.deepEqual(await raw(await send('/api/memory/remember', readonly)), [403, 'forbidden'])
  t.deepEqual(await raw(await send('/api/memory/remember', token({ role: 'agent' }))), [400, 'invalid_json'])
  t.deepEqual(await raw(await send('/api/memory/none/recover', readonly, '{"reason":"x"}')), [
    403,
    'forbidden',
  ])
})

test('hybrid mode trusts this machine, but checks a presented credential (security.md 5.1)', async t => {
  const { call, token } = await startTeam(t, { settings: { auth: { mode: 'hybrid' } } })
  t.like((await call('GET /api/auth/whoami')).body, {
    authenticated: false,
    mode: 'hybrid',
    role: 'admin',
    credential: 'none',
  })
  t.deepEqual(outcome(await call('GET /api/memories', { headers: bearer('nonsense') })), [
    401,
    'unauthenticated',
  ])
  const readonly = { headers: token({ role: 'readonly' }) }
  t.like((await call('GET /api/auth/whoami', readonly)).body, { authenticated: true, role: 'readonly' })
  t.deepEqual(outcome(await call('GET /api/status', readonly)), [403, 'forbidden'])
})

test('a signed token is valid until it expires, and only unmodified (security.md 5.2)', async t => {
  const now = new Date('2026-03-01T12:00:00Z')
  const { call, token, paths } = await startTeam(t, { clock: () => now })
  const seconds = now.getTime() / 1000
  const ask = (headers: { authorization: string }) => call('GET /api/memories', { headers })
  t.is((await ask(token({ role: 'readonly', exp: seconds + 1 }))).status, 200)
  t.is((await ask(token({ role: 'readonly', exp: seconds }))).status, 401)
  const { authorization } = token({ role: 'readonly' })
  const [payload = '', signature] = authorization.replace('Bearer ', '').split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  const forged = Buffer.from(JSON.stringify({ ...claims, role: 'admin' })).toString('base64url')
  t.is((await ask(bearer(`${forged}.${signature}`))).status, 401)
  t.is((await ask(bearer(`${payload}.`))).status, 401)
  t.is((await ask(bearer(payload))).status, 401)
  t.is((await ask(token({ role: 'root' as 'admin' }))).status, 401)
  t.is((await ask(token({ role: 'readonly', scope: { tenant: 'x' } }))).status, 401)
  t.is(readFileSync(paths.authSecret).length, 32)
})

test('the signing secret is readable only by its owner, and a new one invalidates all tokens (security.md 5.2)', async t => {
  const workspace = temporaryWorkspace(t)
  const first = await startTeam(t, { workspace })
  if (process.platform !== 'win32') t.is(statSync(first.paths.authSecret).mode & 0o777, 0o600)
  const old = first.admin
  t.is((await first.call('GET /api/memories', { headers: old })).status, 200)
  await first.stop()
  rmSync(first.paths.authSecret)
  const second = await startTeam(t, { workspace })
  t.is((await second.call('GET /api/memories', { headers: old })).status, 401)
  t.is((await second.call('GET /api/memories', { headers: second.admin })).status, 200)
})

test('deleting or replacing the secret invalidates all tokens of a running daemon at once (security.md 5.2)', async t => {
  const { call, admin, paths, token, key } = await startTeam(t)
  const { headers } = await key({})
  const ask = async (credential: { authorization: string }) =>
    (await call('GET /api/memories', { headers: credential })).status
  rmSync(paths.authSecret)
  t.is(await ask(headers), 200)
  t.is(readFileSync(paths.authSecret).length, 32)
  t.is(await ask(admin), 401)
  const second = token({ role: 'admin' })
  t.is(await ask(second), 200)
  writeFileSync(paths.authSecret, Buffer.alloc(32, 7))
  t.is(await ask(second), 401)
  t.is(await ask(token({ role: 'admin' })), 200)
  if (process.platform !== 'win32') t.is(statSync(paths.authSecret).mode & 0o777, 0o600)
})

test('POST /api/auth/token needs an admin and issues a role with its scope (security.md 5.3)', async t => {
  const now = new Date('2026-03-01T12:00:00Z')
  const { call, admin, token } = await startTeam(t, {
    clock: () => now,
    settings: { auth: { defaultTokenTtlSeconds: 60 } },
  })
  const body = { role: 'agent', sub: 'ci', scope: { project: 'web' } } as const
  const issued = await call('POST /api/auth/token', { body, headers: admin })
  t.is(issued.status, 201)
  t.like(issued.body, {
    role: 'agent',
    sub: 'ci',
    scope: { project: 'web' },
    expiresAt: '2026-03-01T12:01:00.000Z',
  })
  const who = await call('GET /api/auth/whoami', { headers: bearer(issued.body.token) })
  t.like(who.body, { authenticated: true, mode: 'team', actor: 'ci', role: 'agent', credential: 'token' })
  t.deepEqual(who.body.scope, { project: 'web' })
  const operator = await call('POST /api/auth/token', { body, headers: token({ role: 'operator' }) })
  t.deepEqual(outcome(operator), [403, 'forbidden'])
  const typo = { role: 'agent', scope: { projects: 'web' } } as never
  t.deepEqual(outcome(await call('POST /api/auth/token', { body: typo, headers: admin })), [
    400,
    'validation_failed',
  ])
})

test('a changed auth.mode applies at once, without a restart', async t => {
  const { call, paths } = await startDaemon(t)
  t.is((await call('GET /api/memories')).status, 200)
  writeFileSync(paths.settings, stringify({ embedding: { provider: 'none' }, auth: { mode: 'team' } }))
  await until(async () => (await call('GET /api/memories')).status === 401)
  t.true(existsSync(paths.authSecret))
})

test('mode local on a network address is refused without a second confirmation', async t => {
  const open = { environment: { SERVICE_HOST: '0.0.0.0' } }
  const error = await t.throwsAsync(startDaemon(t, open))
  t.regex(
    error.message,
    /everyone who reaches this address[\s\S]*auth\.mode to team[\s\S]*--i-know-this-is-open/,
  )
  const { call } = await startDaemon(t, { ...open, settings: { auth: { openToNetwork: true } } })
  t.is((await call('GET /api/memories')).status, 200)
})

test('editing the settings alone does not open a daemon that listens on the network', async t => {
  const { call, paths, admin } = await startTeam(t, { environment: { SERVICE_HOST: '0.0.0.0' } })
  const frozen = { memory: { pipelineV2: { mutationsFrozen: true } } }
  writeFileSync(
    paths.settings,
    stringify({ embedding: { provider: 'none' }, auth: { mode: 'local' }, ...frozen }),
  )
  await until(
    async () => (await call('GET /api/status', { headers: admin })).body.pipeline.mutationsFrozen === true,
  )
  t.is((await call('GET /api/memories')).status, 401)
  t.is((await call('GET /api/auth/whoami', { headers: admin })).body.mode, 'team')
})
