import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { rawOutcome } from '../../helpers/raw-http.js'
import { startTeam } from '../../helpers/team.js'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const patch = { params: { id: 'none' }, body: { pinned: true, reason: 'x' } }

test('requests above the limit of their kind are 429 with Retry-After until the window moves on (security.md 5.5)', async t => {
  let nowMs = Date.parse('2026-03-01T12:00:00Z')
  const { call, token } = await startTeam(t, {
    clock: () => new Date(nowMs),
    settings: { auth: { rateLimits: { modify: { max: 2, windowMs: 10_000 } } } },
  })
  const headers = token({ role: 'agent', sub: 'one' })
  const send = () => call('PATCH /api/memory/:id', { ...patch, headers })
  t.is((await send()).status, 404)
  nowMs += 4000
  t.is((await send()).status, 404)
  const third = await send()
  t.deepEqual(outcome(third), [429, 'rate_limited'])
  t.is(third.headers.get('retry-after'), '6')
  nowMs += 6000
  t.is((await send()).status, 404)
  t.is((await send()).headers.get('retry-after'), '4')
})

test('a limit counts by actor and by bucket (security.md 5.5)', async t => {
  const { call, token, key } = await startTeam(t, {
    settings: { auth: { rateLimits: { modify: { max: 1 } } } },
  })
  const send = async (headers: { authorization: string }) =>
    (await call('PATCH /api/memory/:id', { ...patch, headers })).status
  const one = token({ role: 'agent', sub: 'one' })
  t.deepEqual([await send(one), await send(one)], [404, 429])
  t.is(await send(token({ role: 'agent', sub: 'two' })), 404)
  t.is(await send((await key({ name: 'one' })).headers), 404)
  t.is(
    (await call('DELETE /api/memory/:id', { params: { id: 'none' }, query: { reason: 'x' }, headers: one }))
      .status,
    404,
  )
})

test('the default limits apply unless the settings override them (security.md 5.5)', async t => {
  const { call, token } = await startTeam(t, { settings: { auth: { rateLimits: {} } } })
  const headers = token({ role: 'agent' })
  const forced = { params: { id: 'none' }, query: { reason: 'x', force: true }, headers }
  const statuses = []
  for (let n = 0; n < 4; n++) statuses.push((await call('DELETE /api/memory/:id', forced)).status)
  t.deepEqual(statuses, [404, 404, 404, 429])
  const tombstone = { params: { id: 'none' }, body: { reason: 'x' }, headers }
  t.is((await call('POST /api/memories/:id/tombstone', tombstone)).status, 429)
  const batch = async (body: object) =>
    (await call('POST /api/memory/forget', { body: { who: 'x', reason: 'r', ...body } as never, headers }))
      .status
  const batches = []
  for (let n = 0; n < 6; n++) batches.push(await batch({ mode: 'execute' }))
  t.deepEqual(batches, [200, 200, 200, 200, 200, 429])
  t.is(await batch({ mode: 'execute', force: true }), 429)
})

test('a forced batch counts as forced, and a preview does not count (security.md 5.5)', async t => {
  const { call, token } = await startTeam(t, { settings: { auth: { rateLimits: {} } } })
  const batch = async (body: object, headers: { authorization: string }) =>
    (await call('POST /api/memory/forget', { body: { who: 'x', reason: 'r', ...body } as never, headers }))
      .status
  const one = token({ role: 'agent', sub: 'one' })
  for (let n = 0; n < 10; n++) t.is(await batch({ mode: 'preview', force: true }, one), 200)
  const forced = []
  for (let n = 0; n < 4; n++) forced.push(await batch({ mode: 'execute', force: true }, one))
  t.deepEqual(forced, [200, 200, 200, 429])
  t.is(await batch({ mode: 'execute' }, one), 200)
})

test('logins are limited by client address (security.md 5.5)', async t => {
  const { call } = await startTeam(t, {
    environment: { SERVICE_ADMIN_PASSWORD: 'right' },
    settings: { auth: { rateLimits: {} } },
  })
  const login = async (password: string) =>
    (await call('POST /api/auth/login', { body: { username: 'admin', password } })).status
  const statuses = []
  for (let n = 0; n < 5; n++) statuses.push(await login('wrong'))
  t.deepEqual(statuses, [401, 401, 401, 401, 401])
  t.is(await login('right'), 429)
})

test('all addresses of this machine share one login limit (security.md 5.5)', async t => {
  // Other systems have only 127.0.0.1 as loopback address.
  if (process.platform !== 'linux') return t.pass()
  const { url } = await startTeam(t, {
    environment: { SERVICE_ADMIN_PASSWORD: 'right' },
    settings: { auth: { rateLimits: {} } },
  })
  const body = JSON.stringify({ username: 'admin', password: 'wrong' })
  const headers = ['host: 127.0.0.1', 'content-type: application/json']
  const statuses = []
  for (let n = 2; n <= 11; n++) {
    const request = { line: 'POST /api/auth/login', headers, body, from: `127.0.0.${n}` }
    statuses.push((await rawOutcome(url, request))[0])
  }
  t.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429, 429, 429])
})

test('requests without a credential from this machine share one window in hybrid mode (security.md 5.5)', async t => {
  const { call, daemon } = await startTeam(t, {
    settings: { auth: { mode: 'hybrid', rateLimits: { modify: { max: 1 } } } },
  })
  t.is((await call('PATCH /api/memory/:id', { ...patch, headers: { 'x-service-actor': 'one' } })).status, 404)
  t.is((await call('PATCH /api/memory/:id', { ...patch, headers: { 'x-service-actor': 'two' } })).status, 429)
  t.is(daemon.auth.limiter.size(), 1)
})

test('local mode has no rate limits (security.md 5.1)', async t => {
  const settings = { auth: { rateLimits: { modify: { max: 1 } } } }
  const { call, daemon } = await startDaemon(t, { settings })
  for (let n = 0; n < 3; n++) t.is((await call('PATCH /api/memory/:id', patch)).status, 404)
  t.is(daemon.auth.limiter.size(), 0)
})
