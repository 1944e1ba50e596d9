import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { storeLike } from '../../helpers/store.js'

test('a list has 100 rows by default, and offset returns the next ones (rules.md 4.2 and 8)', async t => {
  const { daemon, call, remember } = await startDaemon(t)
  const like = await remember('pattern')
  await storeLike(
    daemon,
    like,
    Array.from({ length: 101 }, (_, n) => ({ content: `row ${n}` })),
  )
  const page = async (query: { limit?: number; offset?: number }) =>
    (await call('GET /api/memories', { query })).body.memories.map(({ id }) => id)
  const [first, next] = [await page({}), await page({ offset: 100 })]
  t.deepEqual([first.length, next.length], [100, 2])
  t.is(new Set([...first, ...next]).size, 102)
  t.is((await page({ limit: 102 })).length, 102)
})

test('a list and its stats exclude forgotten memories and those private to another agent (rules.md 4.2 and 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const open = await remember('critical: open to all')
  const hidden = await remember('critical: hidden', { agentId: 'owner', visibility: 'private' })
  const gone = await remember('gone')
  await call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  const list = async (query = {}) => {
    const { memories, stats } = (await call('GET /api/memories', { query })).body
    return [memories.map(({ id }) => id).sort(), stats.total, stats.critical]
  }
  t.deepEqual(await list(), [[open], 1, 1])
  t.deepEqual(await list({ agent_id: 'owner' }), [[open, hidden].sort(), 2, 2])
})

test('the history of a hidden memory is 404, that of a forgotten one is readable (rules.md 4.4)', async t => {
  const { call, remember } = await startDaemon(t)
  const hidden = await remember('hidden', { agentId: 'owner', visibility: 'private' })
  const gone = await remember('gone')
  await call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  const history = (id: string, query = {}) => call('GET /api/memory/:id/history', { params: { id }, query })
  const refused = await history(hidden)
  t.is(refused.status, 404)
  t.deepEqual(Object.keys(refused.body).sort(), ['code', 'error'])
  t.is((await history(hidden, { agentId: 'owner' })).body.count, 1)
  t.deepEqual(
    (await history(gone)).body.history.map(({ event }) => event),
    ['created', 'deleted'],
  )
})

test('a history read returns 200 events by default, and never more than 1000 (rules.md 4.4 and 8)', async t => {
  const { daemon, call, remember } = await startDaemon(t)
  const id = await remember('a long life')
  const { events } = await daemon.store.tables.history.of(id, { limit: 1, offset: 0 })
  const [event] = events
  await daemon.store.transaction(async tables => {
    for (let n = 1; n <= 1005; n++)
      await tables.history.append([{ ...event!, id: daemon.newId(), change: event!.change + n }])
  })
  const count = async (query: { limit?: number }) =>
    (await call('GET /api/memory/:id/history', { params: { id }, query })).body.count
  t.deepEqual([await count({}), await count({ limit: 900 }), await count({ limit: 5000 })], [200, 900, 1000])
})

test('every change of a memory has an event with a reason (rules.md 0.6, 2.2 and 6.1)', async t => {
  const { call, remember } = await startDaemon(t)
  const id = await remember('watched')
  const heir = await remember('heir')
  const params = { id }
  await call('PATCH /api/memory/:id', { params, body: { pinned: true, reason: 'pin' } })
  await call('POST /api/memory/modify', { body: { patches: [{ id, tags: 'x', reason: 'tag' }] } })
  await call('POST /api/memories/:id/tombstone', { params, body: { reason: 'bury' } })
  await call('POST /api/memory/:id/recover', { params, body: { reason: 'dig' } })
  await call('POST /api/memories/:id/supersede', { params, body: { supersededBy: heir, reason: 'replace' } })
  await call('POST /api/memory/forget', {
    body: { mode: 'execute', ids: [id], force: true, reason: 'forget' },
  })
  const { history } = (await call('GET /api/memory/:id/history', { params })).body
  t.deepEqual(
    history.map(({ event, reason }) => [event, reason]),
    [
      ['created', 'explicit save'],
      ['modified', 'pin'],
      ['modified', 'tag'],
      ['deleted', 'bury'],
      ['recovered', 'dig'],
      ['modified', 'replace'],
      ['deleted', 'forget'],
    ],
  )
})
