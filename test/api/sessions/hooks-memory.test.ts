import test, { type ExecutionContext } from 'ava'
import type { Request } from '../../../src/contract/api.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { startSession } from '../../helpers/hooks.js'
import { startTeam } from '../../helpers/team.js'

type RememberFields = Partial<Request<'POST /api/hooks/remember'>['body']>
type RecallFields = Partial<Request<'POST /api/hooks/recall'>['body']>

const save = (
  { call }: Pick<TestDaemon, 'call'>,
  content: string,
  fields: RememberFields = {},
  headers = {},
) => call('POST /api/hooks/remember', { body: { harness: 'codex', content, ...fields }, headers })

const ask = ({ call }: Pick<TestDaemon, 'call'>, query: string, fields: RecallFields = {}, headers = {}) =>
  call('POST /api/hooks/recall', { body: { harness: 'codex', query, ...fields }, headers })

const recordOf = async ({ call }: TestDaemon, reply: { body: object }) =>
  (await call('GET /api/memory/:id', { params: { id: (reply.body as { id: string }).id } })).body

async function bypassed(t: ExecutionContext) {
  const daemon = await startDaemon(t)
  await daemon.remember('the server is in rack 1')
  await startSession(daemon, { sessionKey: 's1' })
  await daemon.call('POST /api/sessions/:key/bypass', { params: { key: 's1' }, body: { enabled: true } })
  return daemon
}

test('the remember hook saves with its session, agent, harness and project (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 's1', agentId: 'alpha', project: '/shop' })
  const reply = await save(daemon, 'critical: [ops]: the server is in rack 1', {
    sessionKey: 'session:s1',
    runtimePath: 'plugin',
  })
  t.is(reply.status, 200)
  t.like(await recordOf(daemon, reply), {
    content: 'the server is in rack 1',
    pinned: 1,
    tags: 'ops',
    who: 'codex',
    project: '/shop',
    session_id: 's1',
    agent_id: 'alpha',
    runtime_path: 'plugin',
  })
})

test('the remember hook requires harness and content, the recall hook harness and query (rules.md 4.10)', async t => {
  const { call } = await startDaemon(t)
  for (const body of [{ content: 'x' }, { harness: 'x' }, { harness: 'x', content: ' ' }])
    t.is((await call('POST /api/hooks/remember', { body: body as never })).status, 400)
  for (const body of [{ query: 'x' }, { harness: 'x' }, { harness: 'x', query: '' }])
    t.is((await call('POST /api/hooks/recall', { body: body as never })).status, 400)
})

test('the remember hook drops private spans (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const structured = {
    hints: ['where<private>SECRET</private> is it', '<private>SECRET</private>'],
    entities: [{ name: 'door <private>SECRET</private>' }],
  }
  const reply = await save(daemon, 'the pin <private>SECRET</private> is known', { structured })
  const record = await recordOf(daemon, reply)
  t.is(record.content, 'the pin is known')
  t.deepEqual(record.hints, ['where is it'])
  t.notRegex(JSON.stringify(record), /SECRET/)
  const nothing = await save(daemon, '<private>SECRET</private>')
  t.is(nothing.status, 400)
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 1)
})

test('the recall hook returns the recall shape with its older names (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the server is in rack 1')
  const { body } = await ask(daemon, 'server rack')
  t.is(body.results[0]?.id, id)
  t.deepEqual(body.memories, body.results)
  t.is(body.count, 1)
  t.regex(body.message, /the server is in rack 1/)
  t.is(body.meta.totalReturned, 1)
})

test('project filters the recall hook only when it is named (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const shop = await daemon.remember('the shop server is in rack 1', { project: '/shop' })
  const bank = await daemon.remember('the bank server is in rack 2', { project: '/bank' })
  await startSession(daemon, { sessionKey: 's1', project: '/elsewhere' })
  const idsOf = async (fields: RecallFields) =>
    (await ask(daemon, 'server rack', { includeRecalled: true, ...fields })).body.results
      .map(row => row.id)
      .sort()
  t.deepEqual(await idsOf({ project: '/shop' }), [shop])
  t.deepEqual(await idsOf({ sessionKey: 's1' }), [shop, bank].sort())
})

test('a project filter of the recall hook does not change the session’s project (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 's1', project: '/shop' })
  t.is((await ask(daemon, 'server rack', { sessionKey: 's1', project: '/bank' })).status, 200)
  const reply = await save(daemon, 'the server is in rack 1', { sessionKey: 's1' })
  t.is((await recordOf(daemon, reply)).project, '/shop')
})

test('a token confined to a project recalls only that project through a hook, bypassed or not (security.md 5.4)', async t => {
  const team = await startTeam(t)
  const headers = team.token({ role: 'agent', scope: { project: '/shop' } })
  t.is((await ask(team, 'server rack', { project: '/bank' }, headers)).status, 403)
  const own = { ...headers, 'x-service-no-hooks': '1' }
  t.is((await ask(team, 'server rack', { project: '/bank' }, own)).status, 403)
  t.is((await ask(team, 'server rack', { project: '/shop' }, headers)).status, 200)
})

test('the recall hook accepts the filters, limit and aggregate of recall (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const rule = await daemon.remember('the server must be in rack 1', { tags: 'ops', who: 'ann' })
  await daemon.remember('the server was in rack 2', { tags: 'old', who: 'bob' })
  for (const fields of [{ type: 'rule' as const }, { tags: 'ops' }, { who: 'ann' }])
    t.deepEqual(
      (await ask(daemon, 'server rack', fields)).body.results.map(({ id }) => id),
      [rule],
    )
  t.is((await ask(daemon, 'server rack', { limit: 1 })).body.count, 1)
  const { body } = await ask(daemon, 'server rack', { aggregate: true, aggregateBudget: 'small' })
  t.truthy(body.meta.aggregate)
})

test('the recall hook repeats nothing in a session, across key forms and agents (recall.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('the server is in rack 1', { agentId: 'alpha' })
  await startSession(daemon, { sessionKey: 's1', agentId: 'alpha', runtimePath: 'plugin', project: '/none' })
  t.is((await ask(daemon, 'server rack', { sessionKey: 's1' })).body.count, 0)
  t.is((await ask(daemon, 'server rack', { sessionKey: 'session:s1', agentId: 'alpha' })).body.count, 0)
  const again = await ask(daemon, 'server rack', { sessionKey: 's1', includeRecalled: true })
  t.true(again.body.results[0]?.recalled)
})

test('in a bypassed session the remember and recall hooks do nothing and say so (rules.md 4.10)', async t => {
  const daemon = await bypassed(t)
  t.deepEqual((await save(daemon, 'something', { sessionKey: 's1' })).body as unknown, { bypassed: true })
  t.like((await ask(daemon, 'server rack', { sessionKey: 's1' })).body, {
    bypassed: true,
    count: 0,
    message: '',
  })
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 1)
})

test('for the service’s own programs the remember and recall hooks do nothing and say so (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('the server is in rack 1')
  const own = { 'x-service-no-hooks': '1' }
  t.deepEqual((await save(daemon, 'something', {}, own)).body as unknown, { internal: true })
  t.like((await ask(daemon, 'server rack', {}, own)).body, { internal: true, count: 0, query: 'server rack' })
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 1)
})

test('the other runtime path may neither remember nor recall (rules.md 3.3)', async t => {
  const daemon = await startDaemon(t)
  await startSession(daemon, { sessionKey: 's1', runtimePath: 'plugin' })
  const other = { sessionKey: 's1', runtimePath: 'legacy' as const }
  t.is((await save(daemon, 'something', other)).status, 409)
  t.is((await ask(daemon, 'something', other)).status, 409)
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 0)
})

test('the remember hook is 503 while frozen, the recall hook still works (rules.md#kill-switch)', async t => {
  const settings = { memory: { pipelineV2: { mutationsFrozen: true } } }
  const daemon = await startDaemon(t, { settings })
  const refused = await save(daemon, 'something')
  t.is(refused.status, 503)
  t.is(refused.body.code, 'mutations_frozen')
  t.is((await ask(daemon, 'something')).status, 200)
  t.is((await ask(daemon, 'something', { aggregate: true, saveAggregate: true })).status, 503)
})

test('remembering needs the permission remember, recalling recall (rules.md 4.10)', async t => {
  const team = await startTeam(t)
  const readonly = team.token({ role: 'readonly' })
  t.is((await save(team, 'something', {}, readonly)).status, 403)
  t.is((await ask(team, 'something', {}, readonly)).status, 200)
  t.is((await ask(team, 'something', { aggregate: true, saveAggregate: true }, readonly)).status, 403)
})
