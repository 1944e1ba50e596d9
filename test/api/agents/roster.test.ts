import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { startSession } from '../../helpers/hooks.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

const settings = { auth: { rateLimits: { admin: { max: 1000 } } } }

const names = async ({ call }: Pick<TestDaemon, 'call'>, headers = {}) =>
  (await call('GET /api/agents', { headers })).body.agents.map(({ name }) => name)

const agentAt = ({ call }: Pick<TestDaemon, 'call'>, name: string, headers = {}) =>
  call('GET /api/agents/:name', { params: { name }, headers })

test('a new agent is isolated unless the request says otherwise, and the reply contains the whole agent (agents.md 4.2)', async t => {
  const clock = () => new Date('2026-03-01T10:00:00Z')
  const daemon = await startDaemon(t, { clock })
  const { status, body } = await daemon.call('POST /api/agents', { body: { name: 'maya' } })
  t.is(status, 201)
  const created = {
    id: 'maya',
    name: 'maya',
    read_policy: 'isolated',
    policy_group: null,
    created_at: '2026-03-01T10:00:00.000Z',
    updated_at: '2026-03-01T10:00:00.000Z',
  }
  t.deepEqual(body, created as typeof body)
  t.deepEqual((await agentAt(daemon, 'maya')).body, created as never)
  const grouped = await daemon.call('POST /api/agents', {
    body: { name: 'noor', read_policy: 'group', policy_group: 'web' },
  })
  t.like(grouped.body, { read_policy: 'group', policy_group: 'web' })
  t.deepEqual(await names(daemon), ['default', 'maya', 'noor'])
})

test('creating an agent whose name is taken is a conflict, even if it was only seen (agents.md 4.2)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('the pier is closed', { agentId: 'seen' })
  for (const name of ['seen', 'default', ' seen ']) {
    const { status, body } = await daemon.call('POST /api/agents', { body: { name } })
    t.deepEqual([status, body.code], [409, 'conflict'], name)
    t.regex(body.error!, /memory agents edit/)
  }
  const many = await Promise.all(
    Array.from({ length: 8 }, () => daemon.call('POST /api/agents', { body: { name: 'once' } })),
  )
  t.deepEqual(many.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 409)])
})

test('invalid names, invalid policies and a group policy without a group are refused (agents.md 4.2)', async t => {
  const { call } = await startDaemon(t)
  const wrong = [
    {},
    { name: '' },
    { name: '  ' },
    { name: 7 },
    { name: 'a/b' },
    { name: 'a\\b' },
    { name: 'a\nb' },
    { name: 'x'.repeat(256) },
    { name: 'ok', read_policy: 'all' },
    { name: 'ok', read_policy: 'group' },
    { name: 'ok', read_policy: 'group', policy_group: ' ' },
    { name: 'ok', policy_group: 'x'.repeat(256) },
  ]
  for (const body of wrong) {
    const reply = await call('POST /api/agents', { body: body as never })
    t.deepEqual([reply.status, reply.body.code], [400, 'validation_failed'], JSON.stringify(body))
  }
  t.is((await call('POST /api/agents', { body: { name: 'Ada Lovelace (ops)' } })).status, 201)
})

test('an unknown agent is 404, a malformed path 400 (agents.md 4.1)', async t => {
  const { call } = await startDaemon(t)
  const ask = async (name: string) => {
    const replies = [
      await call('GET /api/agents/:name', { params: { name } }),
      await call('PATCH /api/agents/:name', { params: { name }, body: { read_policy: 'shared' } }),
      await call('DELETE /api/agents/:name', { params: { name } }),
      await call('DELETE /api/agents/:name', { params: { name }, query: { purge: true } }),
    ]
    return replies.map(({ status, body }) => `${status} ${body.code}`)
  }
  t.deepEqual(new Set(await ask('nobody')), new Set(['404 not_found']))
  t.deepEqual(new Set(await ask('../secrets')), new Set(['400 validation_failed']))
})

test('agents first seen in a save, a note, a hook or an import are registered as shared (agents.md 1.1)', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await daemon.remember('one', { agentId: 'by save' })
  await daemon.remember('one', { agentId: 'by duplicate', project: 'web' })
  await call('POST /api/memory/harnessb-native-note', {
    body: { content: 'a note' },
    headers: { 'x-service-agent-id': 'by note' },
  })
  await startSession(daemon, { agentId: 'by start', sessionKey: 's1' })
  await startSession(daemon, { agentId: 'by start without a key' })
  const hook = { harness: 'claude-code', sessionKey: 's2' }
  await call('POST /api/hooks/user-prompt-submit', {
    body: { ...hook, userMessage: 'what is known of the pier', agentId: 'by prompt' },
  })
  await call('POST /api/hooks/recall', { body: { ...hook, query: 'pier', agentId: 'by recall' } })
  await call('POST /api/hooks/remember', {
    body: { ...hook, content: 'two', agentId: 'by remember' } as never,
  })
  await call('POST /api/hooks/session-end', { body: { ...hook, agentId: 'by end' } })
  await call('POST /api/hooks/pre-compaction', { body: { ...hook, agentId: 'by compaction' } as never })
  await call('POST /api/hooks/session-checkpoint-extract', { body: { ...hook, agentId: 'by checkpoint' } })
  await call('POST /api/hooks/compaction-complete', {
    body: { ...hook, summary: 'the pier was mended', agentId: 'by summary' } as never,
  })
  await call('POST /api/hooks/notifications', {
    body: { ...hook, hook: 'SessionStart', agentId: 'by notification' },
  })
  const exported = (await (await fetch(`${daemon.url}/api/export?agentId=by save`)).text())
    .split('\n')
    .filter(line => line.includes('"memory"') || line.includes('"header"'))
    .join('\n')
    .replace(/"id":"[^"]+"/u, '"id":"another"')
    .replaceAll('by save', 'by import')
    .replace('"one"', '"three"')
  await fetch(`${daemon.url}/api/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: exported,
  })
  const { body } = await call('GET /api/agents')
  t.deepEqual(
    body.agents.filter(({ read_policy }) => read_policy === 'shared').map(({ name }) => name),
    [
      ...[
        'by checkpoint',
        'by compaction',
        'by duplicate',
        'by end',
        'by import',
        'by note',
        'by notification',
      ],
      ...['by prompt', 'by recall', 'by remember', 'by save', 'by start', 'by start without a key'],
      ...['by summary', 'default'],
    ],
  )
})

test('a changed policy applies from the next request (agents.md 2.3)', async t => {
  const daemon = await startDaemon(t, { settings })
  await daemon.remember('the crane is red', { agentId: 'peer' })
  await daemon.remember('the crane is tall', { agentId: 'maya' })
  const change = (body: object) =>
    daemon.call('PATCH /api/agents/:name', { params: { name: 'maya' }, body: body as never })
  const sees = async () => {
    const recalled = await daemon.recall('crane', { agentId: 'maya', readPolicy: 'shared' })
    const { body } = await daemon.call('GET /api/memories', { query: { agentId: 'maya' } })
    return [recalled.length, body.memories.length, body.stats.total]
  }
  t.deepEqual(await sees(), [2, 2, 2])
  t.like((await change({ read_policy: 'isolated' })).body, { read_policy: 'isolated', policy_group: null })
  t.deepEqual(await sees(), [1, 1, 1])
  t.is((await change({ read_policy: 'group' })).status, 400)
  t.like((await change({ read_policy: 'group', policy_group: 'web' })).body, { policy_group: 'web' })
  t.deepEqual(await sees(), [1, 1, 1])
  await daemon.call('PATCH /api/agents/:name', { params: { name: 'peer' }, body: { policy_group: 'web' } })
  t.deepEqual(await sees(), [2, 2, 2])
  t.is((await change({ policy_group: null })).status, 400)
  t.like((await change({ read_policy: 'shared', policy_group: null })).body, { policy_group: null })
  t.deepEqual(await sees(), [2, 2, 2])
  t.is((await change({})).status, 400)
})

test('the default agent, used when no agent is named, is in the roster and accepts a policy (agents.md 1.2)', async t => {
  const daemon = await startDaemon(t, { settings })
  await daemon.remember('the crane is red', { agentId: 'peer' })
  await daemon.remember('the crane is tall')
  t.like((await agentAt(daemon, 'default')).body, { name: 'default', read_policy: 'shared' })
  const { status } = await daemon.call('PATCH /api/agents/:name', {
    params: { name: 'default' },
    body: { read_policy: 'isolated' },
  })
  t.is(status, 200)
  t.like((await agentAt(daemon, 'default')).body, { read_policy: 'isolated' })
  t.is((await daemon.recall('crane')).length, 1)
  t.deepEqual(await names(daemon), ['default', 'peer'])
  const removed = await daemon.call('DELETE /api/agents/:name', { params: { name: 'default' } })
  t.deepEqual([removed.status, removed.body.code], [400, 'validation_failed'])
})

test('reading the roster needs recall, creating needs remember, changing and removing need admin (agents.md 5)', async t => {
  const team = await startTeam(t)
  const statuses = async (headers: { authorization: string }, name: string) => [
    (await team.call('POST /api/agents', { body: { name }, headers })).status,
    (await team.call('GET /api/agents', { headers })).status,
    (
      await team.call('PATCH /api/agents/:name', {
        params: { name },
        body: { read_policy: 'shared' },
        headers,
      })
    ).status,
    (await team.call('DELETE /api/agents/:name', { params: { name }, headers })).status,
  ]
  t.deepEqual(await statuses(team.admin, 'a'), [201, 200, 200, 200])
  t.deepEqual(await statuses(team.token({ role: 'agent' }), 'b'), [201, 200, 403, 403])
  t.deepEqual(await statuses(team.token({ role: 'readonly' }), 'c'), [403, 200, 403, 403])
})

test('a credential confined to an agent sees and creates only that agent (agents.md 5)', async t => {
  const team = await startTeam(t)
  const headers = team.token({ role: 'agent', scope: { agent: 'maya' } })
  await team.call('POST /api/agents', { body: { name: 'noor' }, headers: team.admin })
  t.deepEqual(await names(team, headers), [])
  const other = await team.call('POST /api/agents', { body: { name: 'eve' }, headers })
  t.deepEqual([other.status, other.body.code], [403, 'scope_violation'])
  t.is((await team.call('POST /api/agents', { body: { name: 'maya' }, headers })).status, 201)
  t.deepEqual(await names(team, headers), ['maya'])
  t.is((await agentAt(team, 'noor', headers)).status, 404)
  t.is((await agentAt(team, 'maya', headers)).status, 200)
})

test('an agent in a group of a thousand reads the memories of all members (agents.md 2.1)', async t => {
  const daemon = await startDaemon(t)
  const raw = openRaw(t, daemon.paths.database)
  const insert = raw.prepare("INSERT INTO agents VALUES (?, ?, 'group', 'web', '2026', '2026', NULL)")
  raw.transaction(() => {
    for (let n = 0; n < 1000; n++) insert.run(`member ${n}`, `member ${n}`)
  })()
  await daemon.remember('the crane is red', { agentId: 'member 999' })
  await daemon.remember('the crane is tall', { agentId: 'stranger' })
  t.is((await daemon.recall('crane', { agentId: 'member 0', readPolicy: 'group' })).length, 1)
  const { body } = await daemon.call('GET /api/memories', { query: { agentId: 'member 0' } })
  t.deepEqual(
    body.memories.map(({ content }) => content),
    ['the crane is red'],
  )
})

test('the default agent counts the memories that it holds first (agents.md 4.5)', async t => {
  const { call, remember } = await startDaemon(t)
  const counts = async () =>
    (await call('GET /api/agents/:name', { params: { name: 'default' }, query: { counts: true } })).body
      .counts
  for (const content of ['the crane is red', 'the crane is blue']) await remember(content)
  await remember('the crane is red', { agentId: 'dan', project: 'api' })
  await remember('the crane is tall', { agentId: 'cas' })
  await remember('the crane is tall')
  t.like(await counts(), { memories: 2, shared: 1, held: 1, archived: 0 })
  await remember('the crane is old', { agentId: 'cas' })
  await call('DELETE /api/agents/:name', { params: { name: 'cas' } })
  t.like(await counts(), { memories: 3, shared: 1, held: 0, archived: 0 })
})
