import { createHash } from 'node:crypto'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { openaiReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { openRaw } from '../../helpers/store.js'

test('the hash is the SHA-256 of the lower-cased content without one run of end marks (rules.md 1.1.2 and 1.1.3)', async t => {
  const { daemon, remember } = await startDaemon(t)
  for (const [content, basis] of [
    ['  Deploy  on\nTuesday!?;: ', 'deploy on tuesday'],
    ['Wait. ... ', 'wait. '],
    ['Is 1.5 enough?', 'is 1.5 enough'],
    ['!!!', '!!!'],
  ] as const) {
    const [row] = await daemon.store.tables.memories.load([await remember(content)])
    t.is(row?.content_hash, createHash('sha256').update(basis).digest('hex'), content)
  }
})

test('a duplicate returns the existing record and writes nothing (rules.md 1.1.4 and 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const structured = { hints: ['nightly copy'] }
  const id = await remember('Backups run at two', { type: 'rule', tags: 'ops', importance: 0.5, structured })
  const { status, body } = await call('POST /api/memory/remember', {
    body: {
      content: 'critical: [other]: backups run at TWO.',
      type: 'fact',
      structured: { hints: ['when'] },
    },
  })
  t.is(status, 200)
  t.like(body, {
    id,
    content: 'Backups run at two',
    type: 'rule',
    tags: 'ops',
    importance: 0.5,
    pinned: false,
    hints_written: 0,
    deduped: true,
  })
  const record = await call('GET /api/memory/:id', { params: { id } })
  t.like(record.body, { version: 1, hints: ['nightly copy'], tags: 'ops' })
  t.is((await call('GET /api/memory/:id/history', { params: { id } })).body.count, 1)
})

test('each keyword infers its type, and the first in order wins (rules.md 1.2)', async t => {
  const { call } = await startDaemon(t)
  const words = {
    preference: ['prefers', 'likes', 'Wants', 'likes what was decided'],
    decision: ['decided', 'agreed', 'will use', 'agreed to never'],
    rule: ['never', 'always', 'MUST', 'must, as I learned'],
    learning: ['learned', 'discovered', 'discovered a bug'],
    issue: ['bug', 'broken', 'problem'],
    fact: ['mustard', 'debugger', 'unbroken'],
  }
  for (const [type, texts] of Object.entries(words))
    for (const text of texts) {
      const { body } = await call('POST /api/memory/remember', { body: { content: `the team ${text} here` } })
      t.is(body.type, type, text)
    }
})

test('each of the eight types can be set explicitly and overrides the inferred one (rules.md 1.2)', async t => {
  const { call } = await startDaemon(t)
  const types = 'fact preference decision rule learning issue procedural semantic'.split(' ')
  for (const type of types) {
    const body = { content: `the ${type} never fails`, type: type as 'fact' }
    t.is((await call('POST /api/memory/remember', { body })).body.type, type)
  }
})

test('each prefix works alone, and importance is 0.8 without one (rules.md 1.2)', async t => {
  const { call } = await startDaemon(t)
  const save = async (content: string) =>
    (await call('POST /api/memory/remember', { body: { content } })).body
  t.like(await save('critical: lock the door'), {
    content: 'lock the door',
    pinned: true,
    importance: 1,
    tags: '',
  })
  t.like(await save('[home, key]: under the mat'), {
    content: 'under the mat',
    pinned: false,
    importance: 0.8,
    tags: 'home,key',
  })
})

test('text that only looks like a prefix stays in the content (rules.md 1.2)', async t => {
  const { call } = await startDaemon(t)
  for (const content of ['critical:path analysis', '[ERROR]:the disk is full', '[a] no colon']) {
    const { body } = await call('POST /api/memory/remember', { body: { content } })
    t.like(body, { content, pinned: false, tags: '' })
  }
})

test('every field of a save is stored in the record (rules.md 2.1 and 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const given = {
    type: 'procedural',
    who: 'ann',
    project: 'shop',
    scope: 'staging',
    importance: 0.25,
    tags: 'a,b',
    visibility: 'private',
  } as const
  const times = {
    createdAt: '2026-01-01',
    occurredAt: '2026-01-02',
    observedAt: '2026-01-03',
    sourceCreatedAt: '2026-01-04',
    validFrom: '2026-01-05',
    validUntil: '2026-01-06',
    reviewAfter: '2026-01-07',
  }
  const provenance = { sourceType: 'wiki', sourceId: 's', sourcePath: '/p', runtimePath: 'legacy' }
  const named = { ...provenance, idempotencyKey: 'k', agentId: 'codex', sessionId: 'talk' }
  const id = await remember('all of it', { ...given, ...times, ...named, pinned: true })
  const { body } = await call('GET /api/memory/:id', { params: { id }, query: { agentId: 'codex' } })
  t.like(body, { ...given, pinned: 1, agent_id: 'codex', session_id: 'talk', confidence: null })
  t.like(body, { source_type: 'wiki', source_id: 's', source_path: '/p', runtime_path: 'legacy' })
  t.like(body, { sourcePath: '/p', runtimePath: 'legacy', idempotency_key: 'k', idempotencyKey: 'k' })
  for (const [field, value] of Object.entries(times)) {
    const column = field.replace(/[A-Z]/gu, letter => `_${letter.toLowerCase()}`)
    t.is(body[column as 'created_at'], `${value}T00:00:00.000Z`, field)
  }
  t.like(body, { version: 1, access_count: 0, last_accessed: null, is_deleted: 0, superseded_by: null })
})

test('metadata accepts provenance in snake_case (rules.md 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const metadata = {
    source_type: 'wiki',
    source_id: 's',
    source_path: '/p',
    runtime_path: 'plugin',
    idempotency_key: 'k',
  }
  const id = await remember('from elsewhere', { metadata })
  t.like((await call('GET /api/memory/:id', { params: { id } })).body, metadata)
})

test('an invalid timestamp is refused in every field (rules.md 4.3)', async t => {
  const { call } = await startDaemon(t)
  const fields = 'createdAt occurredAt observedAt sourceCreatedAt validFrom validUntil reviewAfter'.split(' ')
  for (const field of fields)
    for (const value of ['soon', '2026-13-01', 1_767_225_600_000]) {
      const { status, body } = await call('POST /api/memory/remember', {
        body: { content: 'x', [field]: value as string },
      })
      t.is(status, 400, `${field} ${value}`)
      t.is((body.details as { path: string }[])[0]?.path, field)
    }
})

test('a period that ends at its start is refused, one of a second is accepted (rules.md 4.3)', async t => {
  const { call } = await startDaemon(t)
  const save = async (validUntil: string) =>
    (
      await call('POST /api/memory/remember', {
        body: { content: 'on sale', validFrom: '2026-01-01T00:00:00Z', validUntil },
      })
    ).status
  t.is(await save('2026-01-01T00:00:00Z'), 400)
  t.is(await save('2026-01-01T00:00:01Z'), 200)
})

test('a save creates no job when its vector is made at once, and never an extraction job (rules.md 0.2)', async t => {
  const fake = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, openaiReply(request, 26)),
  )
  const embedding = { provider: 'openai', model: 'letters', baseUrl: `${fake.url}/v1`, deadlineMs: 60_000 }
  const daemon = await startDaemon(t, { settings: { embedding: { ...embedding, dimensions: 26 } } })
  const { body } = await daemon.call('POST /api/memory/remember', { body: { content: 'saved at once' } })
  t.true(body.embedded)
  const record = await daemon.call('GET /api/memory/:id', { params: { id: body.id } })
  t.is(record.body.extraction_status, 'none')
  t.deepEqual(openRaw(t, daemon.paths.database).prepare('SELECT kind FROM jobs').all(), [])
})
