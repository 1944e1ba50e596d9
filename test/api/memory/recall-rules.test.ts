import test from 'ava'
import { endpoints } from '../../../src/contract/api.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { letterCountReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'

test('the route declares the permission and the search checks the boundary again (recall.md 1.3.1)', async t => {
  const { remember, recall } = await startDaemon(t)
  t.is(endpoints.find(({ path }) => path === '/api/memory/recall')?.permission, 'recall')
  const question = await remember('who owns the payment gateway?', {
    agentId: 'ann',
    sessionId: 'talk',
    createdAt: '2026-01-01T10:00:00Z',
  })
  // A neighbour of the hit in its conversation, added after the index filters.
  await remember('Bob does, and his key is under the mat', {
    agentId: 'bob',
    visibility: 'private',
    sessionId: 'talk',
    createdAt: '2026-01-01T10:00:01Z',
  })
  t.deepEqual(await recall('payment gateway owner', { agentId: 'ann', score_min: 0 }), [question])
})

test('each channel contributes candidates, and a memory found by several appears once (recall.md 1.3.5)', async t => {
  const fake = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, letterCountReply(request)),
  )
  const provider = { provider: 'openai', model: 'letters', baseUrl: `${fake.url}/v1`, dimensions: 26 }
  const { call, remember } = await startDaemon(t, {
    settings: { embedding: provider },
  })
  const id = await remember('zebras graze at dusk', { structured: { hints: ['zebras graze when'] } })
  await until(async () => (await call('GET /api/status')).body.embedding.withoutVector === 0 || undefined)
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'zebras graze', explain: true, score_min: 0 },
  })
  t.deepEqual(
    body.results.map(row => [row.id, row.source]),
    [[id, 'keyword+hints+vector']],
  )
  const steps = body.results[0]!.explain!.contributions.map(({ step }) => step)
  t.true(['keyword', 'hints', 'vector'].every(step => steps.includes(step)))
})

test('a memory matched only by its hints ranks below grounded ones (recall.md 1.3.5)', async t => {
  const { remember, recall } = await startDaemon(t)
  const hinted = await remember('Ask Dana', { structured: { hints: ['restart the billing worker'] } })
  const grounded = await remember('To restart the billing worker run make restart')
  t.deepEqual(await recall('restart the billing worker'), [grounded, hinted])
})

test('content is loaded only for authorised candidates (recall.md 1.3.6)', async t => {
  const { daemon, remember, recall } = await startDaemon(t)
  const open = await remember('the vault code is in the handbook', { sessionId: 's' })
  // A neighbour of the hit in its session, added after the index filters.
  const hidden = await remember('it is 1234', { sessionId: 's', agentId: 'other', visibility: 'private' })
  const { memories } = daemon.store.tables
  const asked: string[] = []
  const loaded = new Set<string>()
  const { load, loadRecallable } = memories
  memories.load = ids => {
    for (const id of ids) loaded.add(id)
    return load(ids)
  }
  memories.loadRecallable = async (ids, ...rest) => {
    asked.push(...ids)
    const rows = await loadRecallable(ids, ...rest)
    for (const { id } of rows) loaded.add(id)
    return rows
  }
  t.deepEqual(await recall('vault code'), [open])
  t.true(asked.includes(hidden))
  t.deepEqual([...loaded], [open])
})

test('keywordQuery replaces the query in the keyword channel (recall.md 4.9)', async t => {
  const { remember, recall } = await startDaemon(t)
  await remember('the lighthouse keeper sleeps at noon')
  const id = await remember('the ferry leaves at noon')
  t.deepEqual(await recall('lighthouse keeper', { keywordQuery: 'ferry' }), [id])
  t.is((await recall('lighthouse keeper', { keywordQuery: '  ' })).length, 1)
})

test('meta reports how many vectors were searched while the index is incomplete (recall.md 1.3.8)', async t => {
  const { daemon, call, remember } = await startDaemon(t)
  await remember('half of the index is there')
  const search = daemon.index.search.bind(daemon.index)
  daemon.index.search = async query => ({
    ...(await search(query)),
    vectorCompleteness: 'recent-window',
    searchedWindow: 10_000,
  })
  const { body } = await call('POST /api/memory/recall', { body: { query: 'half of the index' } })
  t.like(body, { method: 'hybrid', meta: { vectorCompleteness: 'recent-window', searchedWindow: 10_000 } })
})

test('a recall during an index build says so (recall.md 1.3.8)', async t => {
  const { daemon, call, remember } = await startDaemon(t)
  await remember('half of the index is there')
  const ask = async () => (await call('POST /api/memory/recall', { body: { query: 'half' } })).body.meta
  t.is((await ask()).rebuilding, undefined)
  const search = daemon.index.search.bind(daemon.index)
  daemon.index.search = async query => ({ ...(await search(query)), complete: false })
  t.true((await ask()).rebuilding)
})

test('a failed step is skipped and reported, and the best remaining answer is returned (recall.md 1.3.9)', async t => {
  const { daemon, call, remember } = await startDaemon(t)
  const id = await remember('the watchdog reboots the router')
  const search = daemon.index.search.bind(daemon.index)
  const facts = new Proxy(new Int32Array(), {
    get: () => {
      throw new Error('no facts today')
    },
  })
  daemon.index.search = async query => {
    const found = await search(query)
    const sessions = { places: facts, scores: new Float64Array() }
    return { ...found, packed: { ...found.packed, facts, sessions, createdAt: new Float64Array() } }
  }
  daemon.store.write = async () => {
    throw new Error('no ledger today')
  }
  const { status, body } = await call('POST /api/memory/recall', {
    body: { query: 'router watchdog', sessionKey: 's' },
  })
  t.is(status, 200)
  t.deepEqual(
    body.results.map(row => row.id),
    [id],
  )
  for (const step of ['author', 'session', 'claim']) t.true(body.meta.skipped?.includes(step), step)
})

test('a query without candidates returns no rows (recall.md 1.3.12)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('the cafeteria serves lunch at noon', { project: 'shop' })
  for (const project of [undefined, 'shop']) {
    const { body } = await call('POST /api/memory/recall', { body: { query: 'kubernetes', project } })
    t.deepEqual(body.results, [])
    t.like(body.meta, { noHits: true, hasSupplementary: false, totalReturned: 0 })
  }
})

test('transcripts are not part of recall (recall.md 1.3.13)', async t => {
  const { remember, recall } = await startDaemon(t)
  const id = await remember('the crane is repaired', {
    structured: { transcript: 'user: what about the zeppelin? agent: it flies' },
  })
  t.deepEqual(await recall('zeppelin'), [])
  t.deepEqual(await recall('crane repaired'), [id])
})

test('meta.timings lists every step in milliseconds (recall.md 1.3.14)', async t => {
  const { call, remember } = await startDaemon(t)
  await remember('the sluice opens at high tide')
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'sluice tide', sessionKey: 's', aggregate: true, saveAggregate: true },
  })
  const steps = [
    ...['ledger', 'embed', 'index', 'keyword', 'hints', 'fuse', 'widen', 'session', 'neighbours', 'author'],
    ...['date', 'authorize', 'replies', 'questions', 'time_words', 'currentness', 'successors', 'claim'],
    ...['aggregate', 'save_aggregate', 'total'],
  ]
  const { timings } = body.meta
  t.deepEqual(
    steps.filter(step => !(step in timings)),
    [],
  )
  t.true(Object.values(timings).every(ms => ms >= 0 && ms <= timings.total!))
})
