import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

const supersede = ({ call }: TestDaemon, id: string, supersededBy: string, headers = {}) =>
  call('POST /api/memories/:id/supersede', {
    params: { id },
    body: { supersededBy, reason: 'newer' },
    headers,
  })

test('supersede marks a memory as replaced, with its reason and history (rules.md#supersede-and-tombstone)', async t => {
  const daemon = await startDaemon(t)
  const old = await daemon.remember('we use yarn', { structured: { hints: ['package tool'] } })
  const id = await daemon.remember('we use npm')
  const { status, body } = await supersede(daemon, old, id)
  t.is(status, 200)
  t.like(body, { id: old, status: 'superseded', supersededBy: id, currentVersion: 1, newVersion: 2 })
  t.truthy(body.supersededAt)
  t.like((await daemon.call('GET /api/memory/:id', { params: { id: old } })).body, {
    superseded_by: id,
    superseded_at: body.supersededAt,
    superseded_reason: 'newer',
    is_deleted: 0,
  })
  const { history } = (await daemon.call('GET /api/memory/:id/history', { params: { id: old } })).body
  t.like(history[1], { event: 'modified', reason: 'newer', metadata: { supersededBy: id } })
  t.is((await daemon.recall('package tool'))[0], old)
})

test('recall marks a superseded memory (recall.md 1.3.9)', async t => {
  const daemon = await startDaemon(t)
  const old = await daemon.remember('the proxy listens on 8080')
  const id = await daemon.remember('the proxy listens on 9090')
  await supersede(daemon, old, id)
  const { body } = await daemon.call('POST /api/memory/recall', { body: { query: 'proxy port listens' } })
  t.is(body.results.find(row => row.id === old)?.superseded_by, id)
  t.regex(body.message, /superseded/)
})

test('superseding by a save keeps the hints of the replaced memory in recall (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t)
  const old = await daemon.remember('the cat is called Miezi', { structured: { hints: ['name of our pet'] } })
  await daemon.remember('the dog is called Rex', { supersedes: old })
  t.is((await daemon.recall('name of our pet'))[0], old)
})

test('supersede is 404 for a missing, forgotten, hidden or cross-scope memory on either side (rules.md#supersede-and-tombstone)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('here')
  const gone = await daemon.remember('gone')
  await daemon.call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  const scoped = await daemon.remember('scoped', { scope: 'staging' })
  const hidden = await daemon.remember('hidden', { agentId: 'owner', visibility: 'private' })
  for (const other of ['nope', gone, scoped, hidden])
    for (const [a, b] of [
      [id, other],
      [other, id],
    ] as const) {
      const { status, body } = await supersede(daemon, a, b)
      t.is(status, 404)
      t.is(body.code, 'not_found')
    }
  t.is((await daemon.call('GET /api/memory/:id', { params: { id } })).body.version, 1)
})

test('a memory can be superseded only once (rules.md#supersede-and-tombstone)', async t => {
  const daemon = await startDaemon(t)
  const [a, b, c] = [await daemon.remember('a1'), await daemon.remember('b1'), await daemon.remember('c1')]
  await supersede(daemon, a, b)
  const { status, body } = await supersede(daemon, a, c)
  t.is(status, 409)
  t.like(body, { status: 'already_superseded', code: 'already_superseded', supersededBy: b })
})

test('a memory cannot replace itself or one of its successors (rules.md#supersede-and-tombstone)', async t => {
  const daemon = await startDaemon(t)
  const [a, b, c] = [await daemon.remember('a2'), await daemon.remember('b2'), await daemon.remember('c2')]
  await supersede(daemon, a, b)
  await supersede(daemon, b, c)
  for (const [id, by] of [
    [c, a],
    [c, b],
    [c, c],
  ] as const) {
    const { status, body } = await supersede(daemon, id, by)
    t.is(status, 409)
    t.is(body.code, 'supersede_cycle')
  }
})

test('parallel supersedes of one memory have exactly one winner (rules.md#supersede-and-tombstone)', async t => {
  const daemon = await startDaemon(t)
  const old = await daemon.remember('contested')
  const heirs = []
  for (let n = 0; n < 10; n++) heirs.push(await daemon.remember(`heir ${n}`))
  const replies = await Promise.all(heirs.map(heir => supersede(daemon, old, heir)))
  t.is(replies.filter(({ status }) => status === 200).length, 1)
  t.is(replies.filter(({ body }) => body.code === 'already_superseded').length, 9)
})

for (const body of [{ supersededBy: 'x' }, { reason: 'r' }, { supersededBy: 'x', reason: ' ' }])
  test(`supersede with ${JSON.stringify(body)} is refused (rules.md#supersede-and-tombstone)`, async t => {
    const daemon = await startDaemon(t)
    const id = await daemon.remember('x')
    const reply = await daemon.call('POST /api/memories/:id/supersede', {
      params: { id },
      body: body as never,
    })
    t.is(reply.status, 400)
    t.is(reply.body.code, 'validation_failed')
  })

test('tombstone softly forgets even a pinned memory (rules.md#supersede-and-tombstone; rules.md 3.1)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('critical: pinned')
  const params = { id }
  const { status, body } = await daemon.call('POST /api/memories/:id/tombstone', {
    params,
    body: { reason: 'r', if_version: 1 },
  })
  t.is(status, 200)
  t.deepEqual(body as object, { id, status: 'deleted', currentVersion: 1, newVersion: 2 })
  t.deepEqual(await daemon.recall('pinned'), [])
  const recovered = await daemon.call('POST /api/memory/:id/recover', { params, body: { reason: 'r' } })
  t.is(recovered.body.status, 'recovered')
})

test('tombstone has the outcomes of DELETE (rules.md#supersede-and-tombstone)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('critical: guarded')
  const tombstone = async (one: string, fields = {}, headers = {}) => {
    const { status, body } = await daemon.call('POST /api/memories/:id/tombstone', {
      params: { id: one },
      body: { reason: 'r', ...fields },
      headers,
    })
    return [status, body.status ?? body.code]
  }
  t.deepEqual(await tombstone('nope'), [404, 'not_found'])
  t.deepEqual(await tombstone(id, { if_version: 3 }), [409, 'version_conflict'])
  t.deepEqual(await tombstone(id, { reason: '' }), [400, 'validation_failed'])
  t.deepEqual(await tombstone(id, {}, { 'x-service-actor-type': 'agent' }), [403, 'autonomous_force_denied'])
  t.deepEqual(await tombstone(id), [200, 'deleted'])
  t.deepEqual(await tombstone(id), [409, 'already_deleted'])
})

test('a private memory can replace one of its own agent, but not a global one (recall.md 1.3.1)', async t => {
  const daemon = await startDaemon(t)
  const ann = { agentId: 'ann', visibility: 'private' } as const
  const open = await daemon.remember('open', { agentId: 'ann' })
  const [first, second] = [await daemon.remember('first', ann), await daemon.remember('second', ann)]
  const headers = { 'x-service-agent-id': 'ann' }
  const refused = await supersede(daemon, open, first, headers)
  t.deepEqual([refused.status, refused.body.code], [404, 'not_found'])
  t.is((await supersede(daemon, first, second, headers)).status, 200)
  t.is((await supersede(daemon, second, open, headers)).status, 200)
})
