import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { startTeam } from '../../helpers/team.js'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const reason = 'because'

test('a token confined to a project reads only that project (security.md 5.4)', async t => {
  const { call, token, admin } = await startTeam(t)
  const save = async (content: string, project?: string) =>
    (await call('POST /api/memory/remember', { body: { content, project }, headers: admin })).body.id
  const inside = await save('the web deploy runs on Tuesdays', 'web')
  const outside = await save('the api deploy runs on Fridays', 'api')
  const loose = await save('the deploy page is in the wiki')
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  t.is((await call('GET /api/memory/:id', { params: { id: inside }, headers })).status, 200)
  for (const id of [outside, loose]) {
    t.deepEqual(outcome(await call('GET /api/memory/:id', { params: { id }, headers })), [404, 'not_found'])
    t.deepEqual(outcome(await call('GET /api/memory/:id/history', { params: { id }, headers })), [
      404,
      'not_found',
    ])
    t.deepEqual(outcome(await call('GET /api/memory/:id/lineage', { params: { id }, headers })), [
      404,
      'not_found',
    ])
  }
  const list = await call('GET /api/memories', { headers })
  t.deepEqual([list.body.memories.map(({ id }) => id), list.body.stats.total], [[inside], 1])
  const recalled = await call('POST /api/memory/recall', { body: { query: 'deploy' }, headers })
  t.deepEqual(
    recalled.body.results.map(({ id }) => id),
    [inside],
  )
  const found = await call('GET /memory/search', { query: { q: 'deploy' }, headers })
  t.deepEqual('results' in found.body && found.body.results.map(({ id }) => id), [inside])
  const named = await call('POST /api/memory/recall', { body: { query: 'deploy', project: 'api' }, headers })
  t.deepEqual(outcome(named), [403, 'scope_violation'])
})

test('a token confined to a project writes only to that project, checked for each item of a batch (security.md 5.4)', async t => {
  const { call, token, admin } = await startTeam(t)
  const outside = (
    await call('POST /api/memory/remember', { body: { content: 'api one', project: 'api' }, headers: admin })
  ).body.id
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const own = await call('POST /api/memory/remember', { body: { content: 'web one' }, headers })
  const record = await call('GET /api/memory/:id', { params: { id: own.body.id }, headers })
  t.is(record.body.project, 'web')
  const body = { content: 'x', project: 'api' }
  t.deepEqual(outcome(await call('POST /api/memory/remember', { body, headers })), [403, 'scope_violation'])
  const params = { id: outside }
  const refused = [
    await call('PATCH /api/memory/:id', { params, body: { pinned: true, reason }, headers }),
    await call('DELETE /api/memory/:id', { params, query: { reason }, headers }),
    await call('POST /api/memory/:id/recover', { params, body: { reason }, headers }),
    await call('POST /api/memories/:id/tombstone', { params, body: { reason }, headers }),
    await call('POST /api/memories/:id/supersede', {
      params,
      body: { supersededBy: own.body.id, reason },
      headers,
    }),
    await call('POST /api/memory/remember', { body: { content: 'newer', supersedes: outside }, headers }),
  ]
  for (const reply of refused) t.deepEqual(outcome(reply), [403, 'scope_violation'])
  const patches = [outside, own.body.id].map(id => ({ id, pinned: true }))
  const modified = await call('POST /api/memory/modify', { body: { patches, reason }, headers })
  t.deepEqual(
    modified.body.results.map(({ status }) => status),
    ['scope_violation', 'updated'],
  )
  const forgotten = await call('POST /api/memory/forget', {
    body: { ids: [outside, own.body.id], mode: 'execute', reason, force: true },
    headers: { ...headers, 'x-service-actor-type': 'agent' },
  })
  t.deepEqual('results' in forgotten.body && forgotten.body.results.map(({ status }) => status), [
    'scope_violation',
    'autonomous_force_denied',
  ])
  t.is((await call('GET /api/memory/:id', { params, headers: admin })).body.version, 1)
})

test('deduplication reveals nothing of other projects to a confined writer (rules.md 1.1)', async t => {
  const { call, token, admin } = await startTeam(t)
  const save = (fields: object, headers: { authorization: string }) =>
    call('POST /api/memory/remember', { body: { content: 'the same fact', ...fields }, headers })
  const first = await save({ project: 'api', idempotencyKey: 'k' }, admin)
  const headers = token({ role: 'agent', scope: { project: 'web' } })
  const second = await save({}, headers)
  t.is(second.status, 200)
  t.false(second.body.deduped)
  t.not(second.body.id, first.body.id)
  t.true((await save({}, headers)).body.deduped)
  const keyed = await save({ content: 'other', idempotencyKey: 'k' }, headers)
  t.like(keyed, { status: 200, body: { content: 'other', deduped: false } })
  t.like((await save({ content: 'other', idempotencyKey: 'k' }, headers)).body, {
    id: keyed.body.id,
    deduped: true,
  })
  const again = await save({ content: 'other', project: 'api', idempotencyKey: 'k' }, admin)
  t.like(again.body, { id: first.body.id, deduped: true })
})

test('a token confined to an agent acts only as that agent (security.md 5.2)', async t => {
  const { call, key, admin } = await startTeam(t)
  const { headers } = await key({ agentId: 'codex' })
  const body = { content: 'codex prefers tabs', visibility: 'private' } as const
  const { id } = (await call('POST /api/memory/remember', { body, headers })).body
  t.is((await call('GET /api/memory/:id', { params: { id }, headers })).body.agent_id, 'codex')
  const others = { ...body, content: 'claude keeps a secret', agentId: 'claude' }
  const hidden = (await call('POST /api/memory/remember', { body: others, headers: admin })).body.id
  const shared = (
    await call('POST /api/memory/remember', {
      body: { content: 'claude shares a fact', agentId: 'claude' },
      headers: admin,
    })
  ).body.id
  t.deepEqual(outcome(await call('POST /api/memory/remember', { body: others, headers })), [
    403,
    'scope_violation',
  ])
  for (const extra of [{ 'x-service-agent-id': 'claude' }, { 'x-service-session-key': 'agent:claude:1' }])
    t.deepEqual(outcome(await call('GET /api/memories', { headers: { ...headers, ...extra } })), [
      403,
      'scope_violation',
    ])
  const asked = await call('GET /api/memories', { query: { agentId: 'claude' }, headers })
  t.deepEqual(outcome(asked), [403, 'scope_violation'])
  t.is((await call('GET /api/memory/:id', { params: { id: hidden }, headers })).status, 404)
  t.is((await call('GET /api/memory/:id', { params: { id: shared }, headers })).status, 200)
  const change = await call('DELETE /api/memory/:id', { params: { id: shared }, query: { reason }, headers })
  t.deepEqual(outcome(change), [403, 'scope_violation'])
})

test('a token confined to a user writes and reads only as that author (security.md 5.4)', async t => {
  const { call, token, admin } = await startTeam(t)
  const save = async (content: string, who: string) =>
    (await call('POST /api/memory/remember', { body: { content, who }, headers: admin })).body.id
  const [mayas, bobs] = [await save('maya likes tea', 'maya'), await save('bob likes coffee', 'bob')]
  const headers = token({ role: 'agent', scope: { user: 'maya' } })
  const own = (await call('POST /api/memory/remember', { body: { content: 'maya likes rice' }, headers }))
    .body.id
  const list = await call('GET /api/memories', { headers })
  t.deepEqual(list.body.memories.map(({ id }) => id).sort(), [own, mayas].sort())
  const body = { content: 'bob likes rice', who: 'bob' }
  t.deepEqual(outcome(await call('POST /api/memory/remember', { body, headers })), [403, 'scope_violation'])
  const gone = await call('DELETE /api/memory/:id', { params: { id: bobs }, query: { reason }, headers })
  t.deepEqual(outcome(gone), [403, 'scope_violation'])
  const given = await call('POST /api/memory/modify', {
    body: { patches: [{ id: own, who: 'bob' }], reason },
    headers,
  })
  t.is(given.body.results[0]?.status, 'scope_violation')
})

test('the admin role bypasses scopes (security.md 5.4)', async t => {
  const { call, token, key } = await startTeam(t)
  const admin = token({ role: 'admin', scope: { project: 'web' } })
  const body = { content: 'elsewhere', project: 'api' }
  t.is((await call('POST /api/memory/remember', { body, headers: admin })).status, 200)
  const { headers } = await key({ role: 'admin', agentId: 'codex' })
  const own = await call('POST /api/memory/remember', { body: { content: 'one' }, headers })
  t.is((await call('GET /api/memory/:id', { params: { id: own.body.id }, headers })).body.agent_id, 'codex')
  t.is(
    (await call('POST /api/memory/remember', { body: { content: 'two', agentId: 'x' }, headers })).status,
    200,
  )
})

test('readPolicy narrows a credential’s access and never widens it (security.md 5.4)', async t => {
  const { call, token, key, admin } = await startTeam(t)
  const { headers } = await key({ agentId: 'codex' })
  await call('POST /api/memory/remember', { body: { content: 'release notes by codex' }, headers })
  await call('POST /api/memory/remember', {
    body: { content: 'release notes by claude', agentId: 'claude' },
    headers: admin,
  })
  const contents = async (fields: object, as: { authorization: string }) => {
    const { body } = await call('POST /api/memory/recall', {
      body: { query: 'release notes', ...fields },
      headers: as,
    })
    return body.results.map(({ content }) => content).sort()
  }
  const both = ['release notes by claude', 'release notes by codex']
  t.deepEqual(await contents({ readPolicy: 'shared' }, headers), both)
  t.deepEqual(await contents({ readPolicy: 'isolated' }, headers), [both[1]])
  const project = token({ role: 'agent', scope: { project: 'none' } })
  t.deepEqual(await contents({ readPolicy: 'shared' }, project), [])
})

test('scopes and roles of a token are ignored in local mode (security.md 5.4)', async t => {
  const { call } = await startDaemon(t)
  const headers = { authorization: 'Bearer svc_sk_unknown', 'x-service-agent-id': 'codex' }
  const body = { content: 'x', project: 'api', agentId: 'claude' }
  t.is((await call('POST /api/memory/remember', { body, headers })).status, 200)
})
