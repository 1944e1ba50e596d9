import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

const clock = () => new Date('2026-03-01T00:00:00Z')

test('a superseded memory is marked and comes after its replacement (recall.md 1.3.9)', async t => {
  const { call, remember } = await startDaemon(t)
  const first = await remember('deploys run on Mondays, always on Mondays, deploys')
  const second = await remember('deploys run on Tuesdays', { supersedes: first, reason: 'moved' })
  const third = await remember('for deploys see the calendar', { supersedes: second, reason: 'moved again' })
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'deploys run Mondays', score_min: 0, explain: true },
  })
  t.deepEqual(
    body.results.map(row => [row.id, row.currentness, row.superseded_by]),
    [
      [third, 'current', null],
      [second, 'superseded', third],
      [first, 'superseded', second],
    ],
  )
  for (const { explain } of body.results.slice(1))
    t.true(explain!.contributions.some(({ step, value }) => step === 'currentness' && value <= 0.5))
  t.regex(body.message, new RegExp(`superseded by ${third}`))
})

test('the replacement of a found memory is added as a supplementary row (recall.md 1.3.10)', async t => {
  const { call, remember } = await startDaemon(t)
  const old = await remember('the cache is memcached')
  const middle = await remember('we switched to keydb', { supersedes: old })
  const head = await remember('valkey since the spring', { supersedes: middle })
  const ask = async (fields: object = {}) =>
    (await call('POST /api/memory/recall', { body: { query: 'cache memcached', ...fields } })).body
  const { results, meta } = await ask()
  t.deepEqual(
    results.map(row => [row.id, row.supplementary ?? false, row.source]),
    [
      [old, false, 'keyword'],
      [head, true, 'supersedes'],
    ],
  )
  t.true(meta.hasSupplementary)
  const accessed = async (id: string) =>
    (await call('GET /api/memory/:id', { params: { id } })).body.access_count
  await until(async () => (await accessed(old)) > 0 || undefined)
  t.deepEqual([await accessed(old), await accessed(head)], [1, 0])
  t.deepEqual(
    (await ask({ limit: 1 })).results.map(({ id }) => id),
    [old],
  )
})

test('a replacement hidden from the reader is never added (recall.md 1.3.1)', async t => {
  const { call, daemon, remember } = await startDaemon(t)
  const old = await remember('the cache is memcached', { agentId: 'ann' })
  const seen = await remember('we switched to keydb', { agentId: 'ann', supersedes: old })
  const hidden = await remember('valkey, but do not tell', { agentId: 'ann', visibility: 'private' })
  // An older release allowed a private memory to supersede this one.
  await daemon.store.transaction(({ memories }) => memories.update(seen, 1, { superseded_by: hidden }))
  const recalled = async () =>
    (
      await call('POST /api/memory/recall', {
        body: { query: 'cache memcached', agentId: 'bob', readPolicy: 'shared' },
      })
    ).body.results.map(({ id }) => id)
  t.deepEqual(await recalled(), [old, seen])
  await call('DELETE /api/memory/:id', { params: { id: seen }, query: { reason: 'gone' } })
  t.deepEqual(await recalled(), [old])
})

test('a replacement that the session has already seen is not added again (recall.md 4.9)', async t => {
  const { remember, recall } = await startDaemon(t)
  const old = await remember('the cache is memcached')
  const head = await remember('valkey since the spring', { supersedes: old })
  t.deepEqual(await recall('valkey spring', { sessionKey: 's' }), [head])
  t.deepEqual(await recall('cache memcached', { sessionKey: 's' }), [old])
})

test('expired rows are damped and marked, rows not yet valid only marked (recall.md 1.3.9)', async t => {
  const { call, remember } = await startDaemon(t, { clock })
  const expired = await remember('office code 1111 for the door', {
    validFrom: '2026-01-01',
    validUntil: '2026-02-01',
  })
  const current = await remember('office code 2222 for the door', {
    validFrom: '2026-02-01',
    validUntil: '2026-04-01',
  })
  const upcoming = await remember('office code 3333 for the door', { validFrom: '2026-04-01' })
  const { body } = await call('POST /api/memory/recall', { body: { query: 'office door code' } })
  const found = new Map(body.results.map(row => [row.id, row]))
  t.is(found.get(expired)?.currentness, 'expired')
  t.is(found.get(current)?.currentness, 'current')
  t.is(found.get(upcoming)?.currentness, 'upcoming')
  t.is(body.results.at(-1)?.id, expired)
  t.is(found.get(current)?.score, found.get(upcoming)?.score)
})
