import test, { type ExecutionContext } from 'ava'
import type { RuntimePath } from '../../../src/contract/sessions/hooks.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { manualTime } from '../../helpers/manual-time.js'

const hour = 3_600_000

type Fields = Record<string, unknown>

const startCall = (
  { call }: Pick<TestDaemon, 'call'>,
  fields: Fields = {},
  headers: Record<string, string> = {},
) =>
  call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey: 's1', ...fields },
    headers,
  })

const rowOf = ({ daemon }: TestDaemon, sessionKey = 's1', agentId = 'default') =>
  daemon.store.tables.sessions.find({ agentId, sessionKey })

async function startMoving(t: ExecutionContext) {
  const { clock, advance } = manualTime(Date.parse('2026-05-01T10:00:00Z'))
  return { ...(await startDaemon(t, { clock })), advance }
}

test('session-start with a runtime path claims the session for it (rules.md 3.3)', async t => {
  const daemon = await startMoving(t)
  t.is((await startCall(daemon, { runtimePath: 'plugin' })).status, 200)
  t.like(await rowOf(daemon), {
    runtime_path: 'plugin',
    claimed_at: '2026-05-01T10:00:00.000Z',
    expires_at: '2026-05-01T14:00:00.000Z',
  })
})

test('a call from the other runtime path is refused with 409 and changes nothing (rules.md 3.3 and 4.10)', async t => {
  const daemon = await startMoving(t)
  await startCall(daemon, { runtimePath: 'plugin', project: '/shop' })
  const before = await rowOf(daemon)
  daemon.advance(1000)
  const { status, body } = await startCall(daemon, { runtimePath: 'legacy', project: '/bank' })
  t.is(status, 409)
  t.is(body.code, 'conflict')
  t.deepEqual(await rowOf(daemon), before)
})

test('calls with the same runtime path, or without one, are accepted (rules.md 3.3)', async t => {
  const daemon = await startMoving(t)
  await startCall(daemon, { runtimePath: 'plugin' })
  t.is((await startCall(daemon, { runtimePath: 'plugin' })).status, 200)
  t.is((await startCall(daemon)).status, 200)
  t.is((await rowOf(daemon))?.runtime_path, 'plugin')
})

test('the header can declare the runtime path too, and the body takes precedence (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const header = (path: string) => ({ 'x-service-runtime-path': path })
  t.is((await startCall(daemon, {}, header('plugin'))).status, 200)
  t.is((await startCall(daemon, {}, header('legacy'))).status, 409)
  t.is((await startCall(daemon, { runtimePath: 'plugin' }, header('legacy'))).status, 200)
  t.is((await startCall(daemon, {}, header('sideways'))).status, 400)
})

test('of concurrent starts from both paths, one claims the session (rules.md 3.3)', async t => {
  const daemon = await startDaemon(t)
  const paths: RuntimePath[] = ['plugin', 'legacy', 'plugin', 'legacy', 'plugin', 'legacy']
  const replies = await Promise.all(paths.map(runtimePath => startCall(daemon, { runtimePath })))
  const winner = (await rowOf(daemon))?.runtime_path
  t.deepEqual(
    replies.map(({ status }) => status),
    paths.map(path => (path === winner ? 200 : 409)),
  )
})

test('claims are per agent and session; session:<key> is the same session (rules.md 4.11)', async t => {
  const daemon = await startDaemon(t)
  await startCall(daemon, { runtimePath: 'plugin' })
  t.is((await startCall(daemon, { runtimePath: 'legacy', sessionKey: 's2' })).status, 200)
  t.is((await startCall(daemon, { runtimePath: 'legacy', agentId: 'other' })).status, 200)
  t.is((await startCall(daemon, { runtimePath: 'legacy', sessionKey: 'session:s1' })).status, 409)
})

test('a call without an agent belongs to the agent that started its session (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await startCall(daemon, { runtimePath: 'plugin', agentId: 'alpha' })
  t.is((await startCall(daemon, { runtimePath: 'legacy' })).status, 409)
  t.is((await startCall(daemon, { runtimePath: 'legacy', agentId: 'beta' })).status, 200)
  t.is(await rowOf(daemon), undefined)
})

test('the header x-service-session-key names the session, and its agent in the form agent:<id>:... (rules.md 4.4)', async t => {
  const daemon = await startDaemon(t)
  for (const key of ['agent:alpha:main', 'session:agent:alpha:main'])
    await startCall(daemon, { sessionKey: null }, { 'x-service-session-key': key })
  t.like(await rowOf(daemon, 'agent:alpha:main', 'alpha'), { harness: 'claude-code' })
  t.is((await daemon.call('GET /api/sessions')).body.count, 1)
})

test('a start without an agent does not continue another agent’s ended session (rules.md 4.10)', async t => {
  const daemon = await startMoving(t)
  await startCall(daemon, { agentId: 'alpha' })
  daemon.advance(5 * hour)
  await startCall(daemon)
  t.is((await rowOf(daemon))?.agent_id, 'default')
})

test('a claim expires four hours after the last call, and the other path may then claim the session (rules.md 2.3)', async t => {
  const daemon = await startMoving(t)
  await startCall(daemon, { runtimePath: 'plugin' })
  daemon.advance(3 * hour)
  await startCall(daemon, { runtimePath: 'plugin' })
  t.is((await rowOf(daemon))?.claimed_at, '2026-05-01T10:00:00.000Z')
  daemon.advance(3 * hour)
  t.is((await startCall(daemon, { runtimePath: 'legacy' })).status, 409)
  daemon.advance(hour)
  t.is((await startCall(daemon, { runtimePath: 'legacy' })).status, 200)
  t.is((await rowOf(daemon))?.claimed_at, '2026-05-01T17:00:00.000Z')
})

test('claims survive a restart (rules.md 4.10)', async t => {
  const first = await startDaemon(t)
  await startCall(first, { runtimePath: 'plugin' })
  await first.stop()
  const second = await startDaemon(t, { workspace: first.paths.root })
  t.is((await startCall(second, { runtimePath: 'legacy' })).status, 409)
})

test('claimOnly renews the claim and returns nothing else (rules.md 4.10)', async t => {
  const daemon = await startMoving(t)
  await daemon.remember('a memory')
  await startCall(daemon, { runtimePath: 'plugin' })
  daemon.advance(hour)
  const { status, body } = await startCall(daemon, { runtimePath: 'plugin', claimOnly: true })
  t.is(status, 200)
  t.deepEqual(body as unknown, { sessionKnown: true })
  t.is((await rowOf(daemon))?.expires_at, '2026-05-01T15:00:00.000Z')
})

test('claimOnly claims an unclaimed session, without giving it memories (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the server is in rack 1')
  const { body } = await startCall(daemon, { runtimePath: 'legacy', claimOnly: true })
  t.deepEqual(body as unknown, { sessionKnown: true })
  t.is((await rowOf(daemon))?.runtime_path, 'legacy')
  t.deepEqual(await daemon.recall('server rack', { sessionKey: 's1' }), [id])
})

test('claimOnly without a runtime path or a session is refused and changes nothing (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const without = await startCall(daemon, { claimOnly: true, agentId: 'new' })
  t.is(without.status, 400)
  t.deepEqual(without.body.details, [{ path: 'runtimePath', message: 'is required' }])
  const nameless = await startCall(daemon, { claimOnly: true, runtimePath: 'plugin', sessionKey: null })
  t.is(nameless.status, 400)
  t.is(await rowOf(daemon, 's1', 'new'), undefined)
})

test('claimOnly from the other path is 409 too (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await startCall(daemon, { runtimePath: 'plugin' })
  t.is((await startCall(daemon, { runtimePath: 'legacy', claimOnly: true })).status, 409)
})

test('the service’s own programs start no session (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('a memory')
  const { status, body } = await startCall(daemon, { runtimePath: 'plugin' }, { 'x-service-no-hooks': '1' })
  t.is(status, 200)
  t.like(body, { internal: true, inject: '' })
  t.deepEqual('memories' in body && body.memories, [])
  t.is(await rowOf(daemon), undefined)
})
