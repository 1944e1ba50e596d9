import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.js'
import { startSession } from '../../helpers/hooks.js'
import { manualTime } from '../../helpers/manual-time.js'
import { startTeam } from '../../helpers/team.js'

const hour = 3_600_000

async function startMoving(t: ExecutionContext, options: TestDaemonOptions = {}) {
  const { clock, advance } = manualTime(Date.parse('2026-05-01T10:00:00Z'))
  return { ...(await startDaemon(t, { clock, ...options })), advance, clock }
}

const keysOf = async ({ call }: Pick<TestDaemon, 'call'>, query = {}) =>
  (await call('GET /api/sessions', { query })).body.sessions.map(({ key }) => key)

const bypass = ({ call }: Pick<TestDaemon, 'call'>, key: string, enabled = true, fields = {}) =>
  call('POST /api/sessions/:key/bypass', { params: { key }, body: { enabled, ...fields } })

test('a session shows its key, runtime path, claim and bypass (rules.md 2.3)', async t => {
  const daemon = await startMoving(t)
  await startSession(daemon, { sessionKey: 's1', runtimePath: 'plugin', project: '/shop' })
  const { body } = await daemon.call('GET /api/sessions/:key', { params: { key: 's1' } })
  t.deepEqual(body as unknown, {
    key: 's1',
    agentId: 'default',
    harness: 'claude-code',
    project: '/shop',
    runtimePath: 'plugin',
    claimedAt: '2026-05-01T10:00:00.000Z',
    expiresAt: '2026-05-01T14:00:00.000Z',
    bypassed: false,
    parentKey: null,
    startedAt: '2026-05-01T10:00:00.000Z',
    seenAt: '2026-05-01T10:00:00.000Z',
    prompts: 0,
  })
})

test('the list merges claimed sessions with unclaimed present ones (rules.md 4.11)', async t => {
  const daemon = await startMoving(t)
  await startSession(daemon, { sessionKey: 'claimed', runtimePath: 'plugin' })
  daemon.advance(1000)
  await startSession(daemon, { sessionKey: 'present' })
  const { body } = await daemon.call('GET /api/sessions')
  t.is(body.count, 2)
  t.deepEqual(
    body.sessions.map(({ key, runtimePath }) => [key, runtimePath]),
    [
      ['present', null],
      ['claimed', 'plugin'],
    ],
  )
})

test('sessions that ended, or called no hook for four hours, are not live (rules.md 4.11)', async t => {
  const daemon = await startMoving(t)
  for (const sessionKey of ['ended', 'silent', 'busy'])
    await startSession(daemon, { sessionKey, runtimePath: 'plugin' })
  const { sessions } = daemon.daemon.store.tables
  await sessions.end({ agentId: 'default', sessionKey: 'ended' }, null, daemon.clock().toISOString())
  daemon.advance(3 * hour)
  await startSession(daemon, { sessionKey: 'busy', runtimePath: 'plugin' })
  daemon.advance(2 * hour)
  t.deepEqual(await keysOf(daemon), ['busy'])
  for (const key of ['ended', 'silent'])
    t.is((await daemon.call('GET /api/sessions/:key', { params: { key } })).status, 404, key)
})

test('raw keys and session:<key> name the same session (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 'session:s1' })
  for (const key of ['s1', 'session:s1'])
    t.is((await daemon.call('GET /api/sessions/:key', { params: { key } })).body.key, 's1')
  t.deepEqual((await bypass(daemon, 'session:s1')).body as unknown, { key: 's1', bypassed: true })
})

test('an unknown session is 404, for bypass too (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  const { status, body } = await daemon.call('GET /api/sessions/:key', { params: { key: 'nobody' } })
  t.is(status, 404)
  t.is(body.code, 'not_found')
  t.is((await bypass(daemon, 'nobody')).status, 404)
})

test('sessions are limited to the named agent (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 'a', agentId: 'alpha' })
  await startSession(daemon, { sessionKey: 'b', agentId: 'beta' })
  t.deepEqual(await keysOf(daemon, { agentId: 'alpha' }), ['a'])
  t.deepEqual(await keysOf(daemon, { agent_id: 'beta' }), ['b'])
  const read = (key: string, agentId: string) =>
    daemon.call('GET /api/sessions/:key', { params: { key }, query: { agentId } })
  t.is((await read('a', 'alpha')).status, 200)
  t.is((await read('a', 'beta')).status, 404)
  t.is((await bypass(daemon, 'a', true, { agentId: 'beta' })).status, 404)
})

test('a credential sees only sessions of its own agent and project (rules.md 4.11 and security.md 5.4)', async t => {
  const team = await startTeam(t)
  const alpha = team.token({ role: 'agent', scope: { agent: 'alpha' } })
  const start = (fields: object, headers = team.admin) =>
    team.call('POST /api/hooks/session-start', { body: { harness: 'x', ...fields }, headers })
  await start({ sessionKey: 'a' }, alpha)
  await start({ sessionKey: 'b', agentId: 'beta' })
  await start({ sessionKey: 'shop', project: '/shop' })
  await start({ sessionKey: 'bank', project: '/bank' })
  const list = async (headers: { authorization: string }, query = {}) =>
    (await team.call('GET /api/sessions', { headers, query })).body.sessions.map(({ key }) => key).sort()
  t.deepEqual(await list(alpha), ['a'])
  t.deepEqual(await list(team.admin), ['a', 'b', 'bank', 'shop'])
  t.deepEqual(await list(team.token({ role: 'readonly' })), ['bank', 'shop'])
  const shop = team.token({ role: 'agent', scope: { project: '/shop' } })
  t.deepEqual(await list(shop), ['shop'])
  const read = (key: string, headers: { authorization: string }, query = {}) =>
    team.call('GET /api/sessions/:key', { params: { key }, query, headers })
  t.is((await read('bank', shop)).status, 404)
  t.is((await read('b', alpha)).status, 404)
  t.is((await read('b', alpha, { agentId: 'beta' })).status, 403)
  const readonly = team.token({ role: 'readonly' })
  const silence = { params: { key: 'shop' }, body: { enabled: true }, headers: readonly }
  t.is((await team.call('POST /api/sessions/:key/bypass', silence)).status, 403)
})

test('bypass can be switched on and off, and needs a boolean (rules.md 3.3)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 's1' })
  const shown = async () =>
    (await daemon.call('GET /api/sessions/:key', { params: { key: 's1' } })).body.bypassed
  t.deepEqual((await bypass(daemon, 's1')).body as unknown, { key: 's1', bypassed: true })
  t.true(await shown())
  t.deepEqual((await bypass(daemon, 's1', false)).body as unknown, { key: 's1', bypassed: false })
  t.false(await shown())
  const wrong = await daemon.call('POST /api/sessions/:key/bypass', {
    params: { key: 's1' },
    body: { enabled: 'yes' as never },
  })
  t.is(wrong.status, 400)
})

test('the status counts live bypassed sessions (rules.md#health-and-status)', async t => {
  const daemon = await startMoving(t)
  const count = async () => (await daemon.call('GET /api/status')).body.bypassedSessions
  for (const sessionKey of ['s1', 's2', 's3']) await startSession(daemon, { sessionKey })
  t.is(await count(), 0)
  for (const key of ['s1', 's2']) await bypass(daemon, key)
  t.is(await count(), 2)
  await bypass(daemon, 's2', false)
  t.is(await count(), 1)
  daemon.advance(5 * hour)
  t.is(await count(), 0)
})

test('a bypassed session starts with an empty no-op and keeps its claim (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('a memory')
  await startSession(daemon, { sessionKey: 's1', runtimePath: 'plugin' })
  await bypass(daemon, 's1')
  const reply = await startSession(daemon, { sessionKey: 's1', runtimePath: 'plugin' })
  t.like(reply, { bypassed: true, inject: '', dynamicContext: '', recentContext: '' })
  t.deepEqual(reply.memories, [])
  const body = { harness: 'x', sessionKey: 's1', runtimePath: 'legacy' as const }
  t.is((await daemon.call('POST /api/hooks/session-start', { body })).status, 409)
})

test('memory tools still work while a session is bypassed (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 's1' })
  await bypass(daemon, 's1')
  const id = await daemon.remember('the server is in rack 1', { sessionId: 's1' })
  t.deepEqual(await daemon.recall('server rack', { sessionKey: 's1' }), [id])
})

test('bypass survives a restart, and can be switched while frozen (rules.md 3.3)', async t => {
  const first = await startDaemon(t)
  await startSession(first, { sessionKey: 's1' })
  await bypass(first, 's1')
  await first.stop()
  const second = await startDaemon(t, {
    workspace: first.paths.root,
    settings: { memory: { pipelineV2: { mutationsFrozen: true } } },
  })
  t.true((await startSession(second, { sessionKey: 's1' })).bypassed)
  t.is((await bypass(second, 's1', false)).status, 200)
})

test('all seven hooks of a bypassed session are no-ops, and session-end still releases its claim (rules.md 3.3 and 4.11)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 's1', runtimePath: 'plugin' })
  await bypass(daemon, 's1')
  const hooks = {
    'session-start': {},
    'user-prompt-submit': { userMessage: 'hello there' },
    'pre-compaction': {},
    'compaction-complete': { summary: 'all of it' },
    remember: { content: 'something' },
    recall: { query: 'something' },
    'session-end': { transcript: 'user: hello' },
  }
  for (const [hook, fields] of Object.entries(hooks)) {
    const response = await fetch(`${daemon.url}/api/hooks/${hook}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ harness: 'x', sessionKey: 's1', runtimePath: 'plugin', ...fields }),
    })
    t.is(response.status, 200, hook)
    t.true(((await response.json()) as { bypassed?: boolean }).bypassed, hook)
  }
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 0)
  const body = { harness: 'x', sessionKey: 's1', runtimePath: 'legacy' as const }
  t.is((await daemon.call('POST /api/hooks/session-start', { body })).status, 200)
})
