import test from 'ava'
import { type ApiReply, startDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

test('reading a memory returns the whole record (rules.md 2.1)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('the whole record', {
    who: 'ann',
    sourcePath: '/a/b',
    idempotencyKey: 'k',
    reviewAfter: '2027-01-01',
  })
  const { status, body } = await call('GET /api/memory/:id', { params: { id } })
  t.is(status, 200)
  t.like(body, {
    id,
    content: 'the whole record',
    who: 'ann',
    source_path: '/a/b',
    sourcePath: '/a/b',
    idempotencyKey: 'k',
    is_deleted: 0,
    deleted_at: null,
    extraction_status: 'none',
    memory_kind: 'episodic',
    agent_id: 'default',
    visibility: 'global',
    version: 1,
    review_after: '2027-01-01T00:00:00.000Z',
  })
})

test('an unknown or forgotten memory is 404 (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('soon gone')
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'test' } })
  for (const unknown of [id, 'nope', '../../etc/passwd', '%2e%2e%2f']) {
    const { status, body } = await call('GET /api/memory/:id', { params: { id: unknown } })
    t.is(status, 404)
    t.is(body.code, 'not_found')
    t.is(
      /was forgotten; recover it within 30 days: memory recover \S+$/u.test(body.error ?? ''),
      unknown === id,
    )
  }
})

test('a private memory of another agent is 404 without any of its fields (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('the secret plan', {
    agentId: 'owner',
    visibility: 'private',
    sourcePath: '/secret',
  })
  for (const request of [
    {},
    { query: { agentId: 'other' } },
    { headers: { 'x-service-agent-id': 'other' } },
    { headers: { 'x-service-session-key': 'agent:other:main' } },
  ]) {
    const { status, body } = await call('GET /api/memory/:id', { params: { id }, ...request })
    t.is(status, 404)
    t.deepEqual(Object.keys(body).sort(), ['code', 'error'])
  }
  for (const request of [
    { query: { agent_id: 'owner' } },
    { headers: { 'x-service-agent-id': 'owner' } },
    { headers: { 'x-service-session-key': 'agent:owner:main' } },
  ])
    t.is((await call('GET /api/memory/:id', { params: { id }, ...request })).status, 200)
})

test('the list is newest first, paged, with its stats (rules.md 4.2)', async t => {
  const { call, remember } = await startDaemon(t)
  for (const day of ['01', '02', '03']) await remember(`day ${day}`, { createdAt: `2026-01-${day}` })
  await remember('critical: day 04', { createdAt: '2026-01-04' })
  const { body } = await call('GET /api/memories', { query: { limit: 2, offset: 1 } })
  t.deepEqual(
    body.memories.map(({ content }) => content),
    ['day 03', 'day 02'],
  )
  t.deepEqual(body.stats, { total: 4, withEmbeddings: 0, critical: 1 })
})

for (const query of [{ limit: -1 }, { limit: 'ten' }, { offset: -1 }, { limit: 1001 }, { limit: '1e3' }])
  test(`a list with ${JSON.stringify(query)} is refused (rules.md#conventions)`, async t => {
    const { call } = await startDaemon(t)
    const { status, body } = await call('GET /api/memories', { query })
    t.is(status, 400)
    t.is(body.code, 'validation_failed')
  })

test('history lists every change in order, in camelCase (rules.md 2.2 and 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('to and fro')
  const headers = { 'x-service-actor': 'ann' }
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'why not' }, headers })
  await call('POST /api/memory/:id/recover', { params: { id }, body: { reason: 'regret' } })
  const { body } = await call('GET /api/memory/:id/history', { params: { id } })
  t.is(body.memoryId, id)
  t.is(body.count, 3)
  t.deepEqual(
    body.history.map(({ event, reason, oldContent, newContent, changedBy, actorType }) => [
      event,
      reason,
      oldContent,
      newContent,
      changedBy,
      actorType,
    ]),
    [
      ['created', 'explicit save', null, 'to and fro', 'operator', 'operator'],
      ['deleted', 'why not', 'to and fro', null, 'ann', 'operator'],
      ['recovered', 'regret', null, 'to and fro', 'operator', 'operator'],
    ],
  )
  t.true(body.history.every(({ requestId }) => requestId))
})

test('the history limit defaults to 200 and is capped at 1000 (rules.md 8)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('short life')
  t.is((await call('GET /api/memory/:id/history', { params: { id }, query: { limit: 5000 } })).status, 200)
  t.is((await call('GET /api/memory/:id/history', { params: { id }, query: { limit: 1 } })).body.count, 1)
  t.is((await call('GET /api/memory/:id/history', { params: { id }, query: { limit: -1 } })).status, 400)
  t.is((await call('GET /api/memory/:id/history', { params: { id: 'nope' } })).status, 404)
})

test('a metadata change does not store the content again, and history fills it in (rules.md 2.2)', async t => {
  const { call, daemon, remember } = await startDaemon(t)
  const id = await remember('stays the same')
  const params = { id }
  await call('PATCH /api/memory/:id', { params, body: { pinned: true, reason: 'pin' } })
  await call('DELETE /api/memory/:id', { params, body: { reason: 'gone', force: true } })
  const { transfer } = daemon.store.tables
  const stored = await transfer.eventsAfter(await transfer.exported(id), Number.MAX_SAFE_INTEGER)
  t.deepEqual([stored[1]?.old_content, stored[1]?.new_content], ['null', 'null'])
  const { history } = (await call('GET /api/memory/:id/history', { params })).body
  t.like(history[1], { reason: 'pin', oldContent: 'stays the same', newContent: 'stays the same' })
})

test('the history of a long memory does not repeat its content for every metadata change (rules.md 2.2)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('word '.repeat(200_000))
  for (let n = 0; n < 6; n++)
    await call('PATCH /api/memory/:id', { params: { id }, body: { pinned: n % 2 === 0, reason: 'flip' } })
  const { body } = await call('GET /api/memory/:id/history', { params: { id } })
  t.is(body.count, 7)
  t.true(JSON.stringify(body).length < 1_100_000)
  t.like(body.history[3], { oldContent: null, newContent: null })
})

test('a long history is also cut by size, and says where it continues (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const params = { id: await remember('word '.repeat(600_000)) }
  for (let n = 0; n < 3; n++) {
    await call('DELETE /api/memory/:id', { params, body: { reason: 'r' } })
    await call('POST /api/memory/:id/recover', { params, body: { reason: 'r' } })
  }
  const pages = []
  let offset: number | undefined = 0
  while (offset !== undefined) {
    const { body }: ApiReply<'GET /api/memory/:id/history'> = await call('GET /api/memory/:id/history', {
      params,
      query: { offset },
    })
    pages.push(body.history.map(({ event }) => event))
    offset = body.nextOffset
  }
  t.true(pages.length > 1)
  t.deepEqual(pages.flat(), ['created', ...Array.from({ length: 3 }, () => ['deleted', 'recovered']).flat()])
})

test('a header that names the session lets its agent read its own memories (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('the plan of one agent', { agentId: 'owner', visibility: 'private' })
  await call('POST /api/hooks/session-start', {
    body: { harness: 'codex', agentId: 'owner', sessionKey: 'its-session', runtimePath: 'plugin' },
  })
  const read = async (headers: Record<string, string>) =>
    (await call('GET /api/memory/:id', { params: { id }, headers })).status
  t.is(await read({ 'x-service-session-key': 'its-session' }), 200)
  t.is(await read({ 'x-service-session-key': 'session:its-session' }), 200)
  t.is(await read({ 'x-service-session-key': 'another-session' }), 404)
  t.is(await read({ 'x-service-session-key': 'its-session', 'x-service-agent-id': 'other' }), 404)
})

test('the last 8 characters of an id are accepted wherever an id is (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const [one, two] = [await remember('tea is at four'), await remember('lunch is at noon')]
  const params = { id: one.slice(-8).toUpperCase() }
  t.is((await call('GET /api/memory/:id', { params })).body.id, one)
  const body = { mode: 'preview' as const, ids: [two.slice(-8), one] }
  const preview = (await call('POST /api/memory/forget', { body })).body
  t.deepEqual('candidates' in preview && preview.candidates.map(({ id }) => id).sort(), [one, two].sort())
  const query = { reason: 'test' }
  t.is((await call('DELETE /api/memory/:id', { params, query })).body.id, one)
  const unknown = await call('GET /api/memory/:id', { params: { id: '0badc0de' } })
  t.is(unknown.status, 404)
  const newer = { content: 'tea is at five', supersedes: two.slice(-8) }
  const { body: saved } = await call('POST /api/memory/remember', { body: newer })
  const { lineage } = (await call('GET /api/memory/:id/lineage', { params: { id: two.slice(-8) } })).body
  t.deepEqual(
    lineage.map(({ id }) => id),
    [saved.id, two],
  )
})

test('a beginning or end of at least six characters is accepted, and a shorter one is not (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('tea is at four')
  for (const part of [id.slice(-6), id.slice(-15), id.slice(0, 20), id.slice(0, 13).toUpperCase()])
    t.is((await call('GET /api/memory/:id', { params: { id: part } })).body.id, id)
  t.is((await call('GET /api/memory/:id', { params: { id: id.slice(-5) } })).status, 404)
})

test('an end that several ids have is refused with the candidates that the reader may see (rules.md 4.4)', async t => {
  const daemon = await startDaemon(t)
  const first = await daemon.remember('one')
  const hidden = await daemon.remember('two', { agentId: 'other', visibility: 'private' })
  const ids = ['01a00000-0000-7000-8000-0000aaaabbbb', '01b00000-0000-7000-8000-0000aaaabbbb'] as const
  const raw = openRaw(t, daemon.paths.database)
  raw.pragma('foreign_keys = OFF')
  for (const [n, id] of [first, hidden].entries())
    raw.prepare('UPDATE memories SET id = ? WHERE id = ?').run(ids[n], id)
  const read = () => daemon.call('GET /api/memory/:id', { params: { id: 'aaaabbbb' } })
  t.is((await read()).body.id, ids[0])
  raw.exec(`UPDATE memories SET visibility = 'global'`)
  const { status, body } = await read()
  t.is(status, 400)
  t.regex(
    (body as unknown as { error: string }).error,
    /2 memory ids; use one of them: a00000-0000-7000-8000-0000aaaabbbb \(fact "one"\), b00000-/,
  )
})
