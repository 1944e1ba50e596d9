import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('a forgotten memory has a deletion time, and a recovered one does not (rules.md 3.1)', async t => {
  const now = new Date('2026-01-01T00:00:00Z')
  const { daemon, call, remember } = await startDaemon(t, { clock: () => now })
  const id = await remember('there and back')
  const row = async () => (await daemon.store.tables.memories.load([id]))[0]
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'r' } })
  t.like(await row(), {
    is_deleted: 1,
    deleted_at: now.toISOString(),
    version: 2,
    content: 'there and back',
  })
  await call('POST /api/memory/:id/recover', { params: { id }, body: { reason: 'r' } })
  t.like(await row(), { is_deleted: 0, deleted_at: null, version: 3 })
})

test('a forced forget is soft too: the pinned memory can be recovered (rules.md 4.8)', async t => {
  const { call, remember, recall } = await startDaemon(t)
  const id = await remember('critical: the anchor')
  const { body } = await call('POST /api/memory/forget', {
    body: { mode: 'execute', ids: [id], force: true, reason: 'r' },
  })
  t.like(body, { mode: 'execute', requested: 1, deleted: 1 })
  t.deepEqual(await recall('anchor'), [])
  const back = await call('POST /api/memory/:id/recover', { params: { id }, body: { reason: 'r' } })
  t.is(back.body.status, 'recovered')
  t.deepEqual(await recall('anchor'), [id])
})

test('each filter works alone, and several together narrow the selection (rules.md 4.8)', async t => {
  const { call, remember } = await startDaemon(t)
  const old = await remember('old', {
    type: 'rule',
    tags: 'x,y',
    who: 'ann',
    sourceType: 'wiki',
    createdAt: '2026-01-01',
  })
  const young = await remember('young', {
    type: 'issue',
    tags: 'z',
    who: 'bob',
    sourceType: 'chat',
    createdAt: '2026-03-01',
  })
  const selected = async (filter: object) => {
    const { body } = await call('POST /api/memory/forget', { body: { mode: 'preview', ...filter } })
    return 'candidates' in body ? body.candidates.map(({ id }) => id) : body
  }
  t.deepEqual(await selected({ type: 'rule' }), [old])
  t.deepEqual(await selected({ tags: ['y'] }), [old])
  t.deepEqual(await selected({ who: 'bob' }), [young])
  t.deepEqual(await selected({ source_type: 'chat' }), [young])
  t.deepEqual(await selected({ since: '2026-02-01' }), [young])
  t.deepEqual(await selected({ until: '2026-02-01' }), [old])
  t.deepEqual(await selected({ since: '2026-02-01', who: 'ann' }), [])
  t.deepEqual(await selected({ ids: [old, young], type: 'issue' }), [young])
})

test('up to 25 memories can be forgotten without a token (rules.md 4.8 and 8)', async t => {
  const { call, remember } = await startDaemon(t)
  for (let n = 0; n < 25; n++) await remember(`crate ${n}`, { who: 'bulk' })
  const preview = await call('POST /api/memory/forget', { body: { mode: 'preview', who: 'bulk' } })
  t.like(preview.body, { count: 25, requiresConfirm: false })
  const { body } = await call('POST /api/memory/forget', {
    body: { mode: 'execute', who: 'bulk', reason: 'r' },
  })
  t.like(body, { requested: 25, deleted: 25 })
})

test('an agent can forget only unpinned memories, even with force (rules.md 4.7)', async t => {
  const { call, remember } = await startDaemon(t)
  const headers = { 'x-service-actor-type': 'agent' }
  for (const force of [false, true]) {
    const id = await remember(`plain ${force}`)
    const { body } = await call('DELETE /api/memory/:id', {
      params: { id },
      body: { reason: 'r', force },
      headers,
    })
    t.is(body.status, 'deleted')
  }
})

test('a memory of another agent is 404 to DELETE, recover and tombstone, and stays (rules.md 7)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('mine alone', { agentId: 'owner', visibility: 'private' })
  const [params, body] = [{ id }, { reason: 'r' }]
  const replies = [
    await call('DELETE /api/memory/:id', { params, body }),
    await call('POST /api/memory/:id/recover', { params, body }),
    await call('POST /api/memories/:id/tombstone', { params, body }),
  ]
  for (const reply of replies) {
    t.is(reply.status, 404)
    t.is(reply.body.status, 'not_found')
    t.is(reply.body.currentVersion, undefined)
  }
  const forgotten = await call('POST /api/memory/forget', { body: { ...body, mode: 'execute', ids: [id] } })
  t.like(forgotten.body, { deleted: 0, results: [{ id, status: 'not_found' }] })
  t.is((await call('GET /api/memory/:id', { params, query: { agentId: 'owner' } })).body.version, 1)
})

for (const hint of ['harness', 'agent', 'pipeline', 'OPERATOR', 'daemon'])
  test(`a caller identified as ${hint} may not force-forget a pinned memory (rules.md 4.7 and security.md 5.2)`, async t => {
    const { call, remember } = await startDaemon(t)
    const id = await remember('critical: stays')
    const { status, body } = await call('DELETE /api/memory/:id', {
      params: { id },
      body: { reason: 'r', force: true },
      headers: { 'x-service-actor-type': hint },
    })
    t.deepEqual([status, body.code], [403, 'autonomous_force_denied'])
  })

test('recovering a memory whose idempotency key was reused reports the conflict (rules.md 1.1.4 and 4.5)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('the first of the key', { idempotencyKey: 'k' })
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'r' } })
  await remember('the second of the key', { idempotencyKey: 'k' })
  const { status, body } = await call('POST /api/memory/:id/recover', {
    params: { id },
    body: { reason: 'r' },
  })
  t.deepEqual([status, body.code], [409, 'duplicate_content_hash'])
  t.regex(String(body.error), /idempotency key/)
})
