import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('a save returns every field of the reply (rules.md 4.3)', async t => {
  const { call } = await startDaemon(t)
  const { status, body } = await call('POST /api/memory/remember', {
    body: { content: 'The deploy window is Tuesday', tags: ['ops', 'deploy'], who: 'ann', project: 'shop' },
  })
  t.is(status, 200)
  t.like(body, {
    type: 'fact',
    tags: 'ops,deploy',
    pinned: false,
    importance: 0.8,
    content: 'The deploy window is Tuesday',
    embedded: false,
    entities_linked: 0,
    hints_written: 0,
    structured: false,
    structured_applied: false,
    deduped: false,
  })
  t.like(body.contentSafety, { status: 'clean', contextEligible: true })
})

test('the aliases of remember save too (rules.md 4.3)', async t => {
  const { url } = await startDaemon(t)
  for (const alias of ['/api/memory/save', '/api/hook/remember']) {
    const response = await fetch(url + alias, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: `saved through ${alias}` }),
    })
    t.is(response.status, 200)
    t.is(((await response.json()) as { content: string }).content, `saved through ${alias}`)
  }
})

test('storage content is trimmed and its whitespace collapsed (rules.md 1.1.1)', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('POST /api/memory/remember', {
    body: { content: '  two \n\t words\u00a0here ' },
  })
  t.is(body.content, 'two words here')
})

test('content that differs only in case, spacing and end marks is one memory (rules.md 1.1.2 to 1.1.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('Straße und Élan')
  for (const content of [
    'straße  UND élan',
    ' Straße und Élan?! ',
    'STRASSE UND ÉLAN'.replace('STRASSE', 'STRAßE'),
  ]) {
    const { body } = await call('POST /api/memory/remember', { body: { content } })
    t.is(body.id, id)
    t.true(body.deduped)
  }
  const { body } = await call('POST /api/memory/remember', { body: { content: 'Straße und Élan.x' } })
  t.false(body.deduped)
})

test('content consisting only of end marks is hashed as it is (rules.md 1.1.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('?!')
  const other = await call('POST /api/memory/remember', { body: { content: '...' } })
  const same = await call('POST /api/memory/remember', { body: { content: '?!' } })
  t.not(other.body.id, id)
  t.is(same.body.id, id)
})

test('a forgotten memory no longer counts for deduplication (rules.md 1.1.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('port 8080 is taken')
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'test' } })
  t.not(await remember('port 8080 is taken'), id)
})

test('fifty parallel saves of one content create one row (rules.md 1.1.4)', async t => {
  const { call } = await startDaemon(t)
  const replies = await Promise.all(
    Array.from({ length: 50 }, () =>
      call('POST /api/memory/remember', { body: { content: 'the one and only' } }),
    ),
  )
  t.is(new Set(replies.map(({ body }) => body.id)).size, 1)
  t.is(replies.filter(({ body }) => !body.deduped).length, 1)
})

test('an idempotency key finds its row before the hash does, within agent, visibility and scope (rules.md 1.1.5)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('first wording', { idempotencyKey: 'k1' })
  const retry = await call('POST /api/memory/remember', {
    body: { content: 'second wording', idempotencyKey: 'k1' },
  })
  t.is(retry.body.id, id)
  t.true(retry.body.deduped)
  for (const fields of [{ agentId: 'other' }, { visibility: 'private' as const }, { scope: 'team' }]) {
    const content = `wording for ${JSON.stringify(fields)}`
    const { body } = await call('POST /api/memory/remember', {
      body: { content, idempotencyKey: 'k1', ...fields },
    })
    t.false(body.deduped)
  }
})

test('sourceId deduplicates, also from metadata in snake_case (rules.md 1.1.5 and 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('imported once', { sourceId: 's-1', sourceType: 'import' })
  const again = await call('POST /api/memory/remember', {
    body: { content: 'imported twice', metadata: { source_id: 's-1', source_type: 'import' } },
  })
  t.is(again.body.id, id)
  t.true(again.body.deduped)
})

test('a private row of another agent takes no part in deduplication (rules.md 1.1)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('known to both', { agentId: 'a', visibility: 'private' })
  const { body } = await call('POST /api/memory/remember', {
    body: { content: 'known to both', agentId: 'b' },
  })
  t.false(body.deduped)
  t.not(body.id, id)
})

for (const [content, type] of [
  ['Ann prefers tabs', 'preference'],
  ['we will use Postgres', 'decision'],
  ['never push to main', 'rule'],
  ['I learned that CI caches npm', 'learning'],
  ['the login page is broken', 'issue'],
  ['the office is in Bern', 'fact'],
] as const)
  test(`"${content}" is inferred as ${type} (rules.md 1.2)`, async t => {
    const { call } = await startDaemon(t)
    const { body } = await call('POST /api/memory/remember', { body: { content } })
    t.is(body.type, type)
  })

test('prefixes set pinned, importance and tags and are removed from the content (rules.md 1.2)', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('POST /api/memory/remember', {
    body: { content: 'critical: [ops, db]: back up first' },
  })
  t.like(body, { content: 'back up first', pinned: true, importance: 1, tags: 'ops,db' })
})

test('body fields override prefixes (rules.md 1.2)', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('POST /api/memory/remember', {
    body: { content: 'critical: [a]: text', pinned: false, importance: 0.3, tags: 'b, c' },
  })
  t.like(body, { pinned: false, importance: 0.3, tags: 'b,c' })
})

test('hints are stored as recall aids, and the structured payload stays evidence (rules.md 4.3)', async t => {
  const { call, recall } = await startDaemon(t)
  const { body } = await call('POST /api/memory/remember', {
    body: {
      content: 'Invoices go out on the 5th',
      structured: { entities: [{ name: 'billing' }], hints: ['when do we bill customers'] },
    },
  })
  t.like(body, { hints_written: 1, structured: true, structured_applied: false, entities_linked: 0 })
  t.deepEqual(await recall('bill customers'), [body.id])
  const record = await call('GET /api/memory/:id', { params: { id: body.id } })
  t.deepEqual(record.body.hints, ['when do we bill customers'])
  t.deepEqual((record.body.structured as { entities: unknown }).entities, [{ name: 'billing' }])
})

test('supersedes marks its target in the same transaction (rules.md 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const old = await remember('we deploy on Mondays')
  const id = await remember('we deploy on Tuesdays', { supersedes: old, reason: 'moved' })
  const { body } = await call('GET /api/memory/:id', { params: { id: old } })
  t.like(body, { superseded_by: id, superseded_reason: 'moved', version: 2 })
  const history = await call('GET /api/memory/:id/history', { params: { id: old } })
  t.deepEqual(
    history.body.history.map(({ event, reason }) => [event, reason]),
    [
      ['created', 'explicit save'],
      ['modified', 'moved'],
    ],
  )
})

test('a supersedes target that is missing or in another scope fails the whole write (rules.md 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const scoped = await remember('scoped row', { scope: 'team' })
  for (const supersedes of ['nowhere', scoped]) {
    const { status, body } = await call('POST /api/memory/remember', {
      body: { content: 'a new row', supersedes },
    })
    t.is(status, 404)
    t.is(body.code, 'not_found')
  }
  const { body } = await call('GET /api/memories')
  t.is(body.stats.total, 1)
})

test('a duplicate also refuses a wrong supersedes target (rules.md 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('we deploy on Fridays')
  const scoped = await remember('scoped row', { scope: 'team' })
  const replaced = await remember('we deploy on Mondays')
  await remember('we deploy on Tuesdays', { supersedes: replaced })
  const save = async (content: string, supersedes: string) => {
    const { status, body } = await call('POST /api/memory/remember', { body: { content, supersedes } })
    return [status, body.code]
  }
  for (const [supersedes, refused] of [
    ['nowhere', [404, 'not_found']],
    [scoped, [404, 'not_found']],
    [replaced, [409, 'already_superseded']],
  ] as const) {
    t.deepEqual(await save('a new row', supersedes), refused)
    t.deepEqual(await save('We deploy on Fridays.', supersedes), refused)
  }
  t.is((await call('GET /api/memories')).body.stats.total, 4)
})

test('a repeated save finds its memory even after its target was replaced (rules.md 1.1.5)', async t => {
  const { call, remember } = await startDaemon(t)
  const supersedes = await remember('we deploy on Mondays')
  const fields = { supersedes, idempotencyKey: 'one' }
  const id = await remember('we deploy on Tuesdays', fields)
  t.is(await remember('we deploy on Tuesdays', fields), id)
  t.is(await remember('we deploy on Tuesdays', { supersedes }), id)
  await call('DELETE /api/memory/:id', { params: { id: supersedes }, query: { reason: 'old' } })
  t.is(await remember('we deploy on Tuesdays', fields), id)
})

for (const [what, body, path] of [
  ['without content', {}, 'content'],
  ['with blank content', { content: ' \n' }, 'content'],
  ['of an unknown type', { content: 'x', type: 'opinion' }, 'type'],
  ['with an importance above 1', { content: 'x', importance: 1.1 }, 'importance'],
  ['with an invalid date', { content: 'x', createdAt: 'yesterday' }, 'createdAt'],
  ['with a wrong visibility', { content: 'x', visibility: 'secret' }, 'visibility'],
  ['with tags of numbers', { content: 'x', tags: [1] }, 'tags'],
] as const)
  test(`a save ${what} is refused and changes nothing (rules.md 7)`, async t => {
    const { call } = await startDaemon(t)
    const reply = await call('POST /api/memory/remember', { body: body as never })
    t.is(reply.status, 400)
    t.is(reply.body.code, 'validation_failed')
    t.is((reply.body.details as { path: string }[])[0]?.path, path)
    t.is((await call('GET /api/memories')).body.stats.total, 0)
  })

test('validUntil must be after validFrom (rules.md 4.3)', async t => {
  const { call } = await startDaemon(t)
  const { status, body } = await call('POST /api/memory/remember', {
    body: { content: 'x', validFrom: '2026-02-01', validUntil: '2026-01-01' },
  })
  t.is(status, 400)
  t.regex(String(body.error), /validUntil/)
})

test('a named agent is registered as shared when it is first seen (rules.md 4.3)', async t => {
  const { daemon, remember } = await startDaemon(t)
  await remember('hello', { agentId: 'builder' })
  t.like(await daemon.store.tables.agents.find('builder'), { read_policy: 'shared' })
})

test('createdAt keeps the chronology of an import (rules.md 4.3)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('long ago', { createdAt: '2020-05-04T03:02:01+02:00' })
  const { body } = await call('GET /api/memory/:id', { params: { id } })
  t.is(body.created_at, '2020-05-04T01:02:01.000Z')
})

test('writes are 503 while frozen, reads and previews still work (rules.md#kill-switch)', async t => {
  const { call } = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  const save = await call('POST /api/memory/remember', { body: { content: 'x' } })
  t.is(save.status, 503)
  t.is(save.body.code, 'mutations_frozen')
  t.is((await call('POST /api/memory/recall', { body: { query: 'x' } })).status, 200)
  t.is((await call('POST /api/memory/forget', { body: { mode: 'preview', query: 'x' } })).status, 200)
  t.is(
    (await call('POST /api/memory/forget', { body: { mode: 'execute', query: 'x', reason: 'r' } })).status,
    503,
  )
  t.is((await call('GET /api/status')).body.pipeline.mode, 'frozen')
})

test('a save that supersedes an already replaced memory is refused and saves nothing (rules.md#supersede-and-tombstone)', async t => {
  const { call, remember } = await startDaemon(t)
  const old = await remember('we deploy on Mondays')
  await remember('we deploy on Tuesdays', { supersedes: old })
  const { status, body } = await call('POST /api/memory/remember', {
    body: { content: 'we deploy on Fridays', supersedes: old },
  })
  t.deepEqual([status, body.code], [409, 'already_superseded'])
  t.is((await call('GET /api/memories')).body.stats.total, 2)
})

test('a private save cannot replace a global memory, because its id would become visible (recall.md 1.3.1)', async t => {
  const { call, remember } = await startDaemon(t)
  const old = await remember('the cache is memcached', { agentId: 'ann' })
  const { status, body } = await call('POST /api/memory/remember', {
    body: { content: 'valkey, but do not tell', agentId: 'ann', visibility: 'private', supersedes: old },
  })
  t.deepEqual([status, body.code], [409, 'conflict'])
  t.like((await call('GET /api/memory/:id', { params: { id: old } })).body, {
    superseded_by: null,
    version: 1,
  })
  t.is((await call('GET /api/memories', { query: { agentId: 'ann' } })).body.stats.total, 1)
})

test('an excess of tags is reported as such (rules.md 4.3)', async t => {
  const { call } = await startDaemon(t)
  const tags = Array.from({ length: 201 }, (_, at) => `t${at}`)
  const { body } = await call('POST /api/memory/remember', { body: { content: 'x', tags } })
  t.deepEqual(body.details, [{ path: 'tags', message: 'must have at most 200 tags, not 201' }])
})
