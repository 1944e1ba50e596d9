import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { openRaw } from '../../helpers/store.js'

test('recall finds a memory by other forms of its words (recall.md 4.9)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('Deployments run every Tuesday from the release branch')
  await remember('The cafeteria serves lunch at noon')
  const { body } = await call('POST /api/memory/recall', { body: { query: 'when do we deploy releases' } })
  t.is(body.results[0]?.id, id)
  t.is(body.count, body.results.length)
  t.is(body.method, 'keyword')
  t.like(body.meta, {
    totalReturned: body.count,
    hasSupplementary: false,
    noHits: false,
    vectorCompleteness: 'none',
  })
  t.true((body.meta.timings.total ?? 0) > 0)
  t.regex(body.message, /Deployments run every Tuesday/)
  t.true(body.results.every(({ score }) => score > 0 && score <= 1))
})

test('a query without a match returns an empty answer that says so (recall.md 1.3)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('The cafeteria serves lunch at noon')
  const { body } = await call('POST /api/memory/recall', { body: { query: 'kubernetes ingress' } })
  t.deepEqual(body.results, [])
  t.true(body.meta.noHits)
  t.regex(body.message, /No memories match/)
})

test('a query without any word skips the keyword and hint channels (recall.md 1.3.7)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('anything at all')
  for (const query of ['???', 'the of and']) {
    const { status, body } = await call('POST /api/memory/recall', { body: { query } })
    t.is(status, 200)
    t.deepEqual(body.results, [])
    t.is(body.method, 'none')
  }
})

test('type, tags, who, pinned, importance_min, since and until narrow the rows (recall.md 1.3.4)', async t => {
  const { remember, recall } = await startDaemon(t)
  const a = await remember('release notes one', {
    type: 'rule',
    tags: 'x,y',
    who: 'ann',
    pinned: true,
    importance: 0.9,
    createdAt: '2026-01-10',
  })
  const b = await remember('release notes two', {
    type: 'fact',
    tags: 'y',
    who: 'bob',
    importance: 0.2,
    createdAt: '2026-02-10',
  })
  const one = (fields: Parameters<typeof recall>[1]) => recall('release notes', fields)
  t.deepEqual(await one({ type: 'rule' }), [a])
  t.deepEqual(await one({ tags: ['x', 'y'] }), [a])
  t.deepEqual(await one({ tags: 'x' }), [a])
  t.deepEqual(await one({ who: 'bob' }), [b])
  t.deepEqual(await one({ pinned: true }), [a])
  t.deepEqual(await one({ pinned: false }), [b])
  t.deepEqual(await one({ importance_min: 0.5 }), [a])
  t.deepEqual(await one({ since: '2026-02-01' }), [b])
  t.deepEqual(await one({ until: '2026-02-01T00:00:00Z' }), [a])
  t.is((await one({})).length, 2)
})

test('a project restricts recall to that project (recall.md 1.3.3)', async t => {
  const { remember, recall } = await startDaemon(t)
  const shop = await remember('the cache is redis', { project: 'shop' })
  await remember('the cache is memcached', { project: 'blog' })
  t.deepEqual(await recall('cache', { project: 'shop' }), [shop])
  t.is((await recall('cache')).length, 2)
})

test('scoped memories are returned only for their scope (recall.md 1.3.3)', async t => {
  const { remember, recall } = await startDaemon(t)
  const open = await remember('the token lives an hour')
  const scoped = await remember('the token lives a day in staging', { scope: 'staging' })
  t.deepEqual(await recall('token'), [open])
  t.deepEqual(await recall('token', { scope: 'staging' }), [scoped])
})

test('a named agent recalls only its own rows unless a policy allows more (recall.md 1.3.2)', async t => {
  const { remember, recall } = await startDaemon(t)
  const mine = await remember('build with make', { agentId: 'a' })
  const shared = await remember('build with cmake', { agentId: 'b' })
  const secret = await remember('build with bazel', { agentId: 'b', visibility: 'private' })
  t.deepEqual(await recall('build', { agentId: 'a' }), [mine])
  t.deepEqual((await recall('build', { agentId: 'a', readPolicy: 'shared' })).sort(), [mine, shared].sort())
  t.deepEqual((await recall('build', { agentId: 'b' })).sort(), [shared, secret].sort())
  t.deepEqual((await recall('build')).sort(), [mine, shared].sort())
})

test('the limit is clamped to 1 to 100 and caps the list (recall.md 1.3.7 and 1.3.10)', async t => {
  const { call, remember } = await startDaemon(t)
  for (const n of [1, 2, 3]) await remember(`server number ${n} is in rack ${n}`)
  for (const [limit, count] of [
    [2, 2],
    [0, 1],
    [-5, 1],
    [100_000, 3],
  ] as const) {
    const { status, body } = await call('POST /api/memory/recall', { body: { query: 'server rack', limit } })
    t.is(status, 200)
    t.is(body.count, count)
  }
})

test('only returned memories count as accessed (recall.md 1.3.11)', async t => {
  const { call, remember, recall } = await startDaemon(t)
  const first = await remember('alpha beta gamma')
  const second = await remember('alpha delta')
  t.deepEqual(await recall('alpha beta gamma', { limit: 1 }), [first])
  t.deepEqual(await recall('gamma', { limit: 1 }), [first])
  const count = async (id: string) => (await call('GET /api/memory/:id', { params: { id } })).body
  const counted = await until(async () => {
    const found = await count(first)
    return found.access_count >= 2 ? found : undefined
  })
  t.like(counted, { access_count: 2, version: 1 })
  t.truthy(counted.last_accessed)
  t.is((await count(second)).access_count, 0)
})

test('pending access counts are written when the daemon stops (recall.md 1.3.11)', async t => {
  const workspace = temporaryWorkspace(t)
  const before = await startDaemon(t, { workspace })
  const id = await before.remember('the ferry sails at nine')
  t.deepEqual(await before.recall('ferry sails'), [id])
  await before.stop()
  const { call, recall, daemon, url } = await startDaemon(t, { workspace })
  const counted = async () => (await call('GET /api/memory/:id', { params: { id } })).body
  const first = await counted()
  t.is(first.access_count, 1)
  await daemon.store.write({ until: 'committed' }, ({ accesses }) => accesses.gather())
  t.deepEqual(await counted(), first, 'log lines are buffered')
  await recall('ferry sails')
  await until(async () => (await counted()).access_count === 2 || undefined)
  const exported = await (await fetch(`${url}/api/export`)).text()
  t.regex(exported, /"access_count":2/u)
  await daemon.store.write({ until: 'committed' }, async ({ accesses, retention }) => {
    await retention.deleteMemories([id])
    await accesses.gather()
  })
  const left = openRaw(t, daemon.paths.database).prepare('SELECT count(*) FROM memory_accesses').pluck()
  t.is(left.get(), 0, 'a purged memory leaves none')
})

test('a forgotten memory is not recalled (rules.md 3.1)', async t => {
  const { call, remember, recall } = await startDaemon(t)
  const id = await remember('staging uses the blue cluster')
  await call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'old' } })
  t.deepEqual(await recall('blue cluster'), [])
})

test('meta.confidence is high for a clear match, low for a stray word and 0 for nothing', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('the postgres password rotates monthly')
  await remember('the office printer is on the second floor')
  const confidence = async (query: string) =>
    (await call('POST /api/memory/recall', { body: { query } })).body.meta.confidence
  t.true((await confidence('when does the postgres password rotate')) > 0.8)
  t.true((await confidence('who books flights for the office trip to Lisbon')) < 0.4)
  t.is(await confidence('kubernetes ingress'), 0)
})

test('the score of the best row equals the confidence', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('the postgres password rotates monthly')
  const { body } = await call('POST /api/memory/recall', { body: { query: 'postgres password' } })
  t.is(body.results[0]?.score, body.meta.confidence)
})

test('one matching word of a longer question finds nothing, and in a small store has low confidence', async t => {
  const { remember, recall, call } = await startDaemon(t)
  const id = await remember('the office printer is on the second floor beside the kitchen')
  const queries = [
    'who books flights for the office trip to Lisbon',
    'how do I configure the kitchen kubernetes ingress certificate renewal',
  ]
  for (const query of queries) {
    const { body } = await call('POST /api/memory/recall', { body: { query } })
    t.true(body.meta.confidence < 0.2)
    t.deepEqual(await recall(query, { score_min: 0 }), [id])
  }
  for (let n = 0; n < 100; n++)
    await remember(Array.from({ length: 20 }, (_, word) => `about${n}x${word}`).join(' '))
  for (const query of queries) {
    t.deepEqual(await recall(query), [])
    t.is((await recall(query, { score_min: 0 }))[0], id)
  }
})

test('the API description documents the confidence of a recall', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('GET /openapi.json')
  t.regex(JSON.stringify(body), /"confidence":\{[^}]*"minimum":0,"maximum":1/u)
})

test('score_min removes rows below that score', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('the postgres password rotates monthly')
  await remember('postgres is fast')
  const all = (
    await call('POST /api/memory/recall', { body: { query: 'postgres password rotation', score_min: 0 } })
  ).body.results
  t.is(all.length, 2)
  const best = all[0]!.score
  const some = (
    await call('POST /api/memory/recall', { body: { query: 'postgres password rotation', score_min: best } })
  ).body.results
  t.deepEqual(
    some.map(({ id }) => id),
    [all[0]!.id],
  )
})

test('explain shows the contribution of each channel and step', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('nightly backups go to the cellar')
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'nightly backups', explain: true },
  })
  const [row] = body.results
  t.true(row!.explain!.contributions.some(({ step, value }) => step === 'keyword' && value > 0))
  t.true(Math.abs(row!.explain!.score - row!.score) < 1e-4)
})

test('a recall without a query is refused (rules.md 7)', async t => {
  const { call } = await startDaemon(t)
  for (const body of [{}, { query: '' }, { query: 7 }]) {
    const reply = await call('POST /api/memory/recall', { body: body as never })
    t.is(reply.status, 400)
    t.is(reply.body.code, 'validation_failed')
  }
})

test('memories are found again after a restart', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('the staging database is called anvil', {
    structured: { hints: ['name of the test db'] },
  })
  await first.stop()
  const second = await startDaemon(t, { workspace: first.paths.root })
  t.deepEqual(await second.recall('staging database'), [id])
  t.deepEqual(await second.recall('test db'), [id])
})
