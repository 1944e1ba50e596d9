import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

async function release(t: Parameters<typeof startDaemon>[0]) {
  const daemon = await startDaemon(t)
  const spring = await daemon.remember('the spring release went well', {
    createdAt: '2026-06-01',
    occurredAt: '2026-03-20',
    sessionId: 's1',
  })
  const winter = await daemon.remember('the winter release was late', { createdAt: '2026-01-15' })
  const pass = await daemon.remember('the release pass is blue', {
    createdAt: '2025-01-01',
    validFrom: '2026-03-01',
    validUntil: '2026-03-31',
  })
  const recall = (time: object) => daemon.recall('release', { time, score_min: 0 } as never)
  return { ...daemon, spring, winter, pass, find: recall }
}

test('time narrows a recall to rows with one facet inside the range (mcp.md 4.9)', async t => {
  const { find, spring, winter, pass } = await release(t)
  const march = { start: '2026-03-01', end: '2026-03-31T23:59:59Z', mode: 'filter' }
  t.deepEqual((await find(march)).sort(), [spring, pass].sort())
  t.deepEqual(await find({ ...march, facets: ['occurred'] }), [spring])
  t.deepEqual(await find({ ...march, facets: ['valid'] }), [pass])
  t.deepEqual(await find({ ...march, facets: ['captured'] }), [])
  t.deepEqual(await find({ end: '2026-01-31', facets: ['captured'], mode: 'filter', start: '2026-01-01' }), [
    winter,
  ])
  t.deepEqual(await find({ start: '2026-01-01', facets: ['session'], mode: 'filter' }), [spring])
})

test('mode auto searches beyond an empty range, and says so (mcp.md 4.9)', async t => {
  const { call, find, winter } = await release(t)
  t.deepEqual(await find({ start: '2026-01-01', end: '2026-01-31', facets: ['captured'] }), [winter])
  const { body } = await call('POST /api/memory/recall', {
    body: { query: 'release', time: { start: '2030-01-01' }, score_min: 0 } as never,
  })
  t.is(body.count, 3)
  t.true(body.meta.timeRelaxed)
})

test('mode timeline returns results in chronological order (mcp.md 4.9)', async t => {
  const { find, spring, winter, pass } = await release(t)
  t.deepEqual(await find({ mode: 'timeline' }), [winter, pass, spring])
})

test('a session restricts a recall to memories saved in it (mcp.md 4.9)', async t => {
  const { recall, spring } = await release(t)
  t.deepEqual(await recall('release', { sessionId: 's1', score_min: 0 }), [spring])
})

for (const time of [
  { start: 'soon' },
  { start: '2026-02-01', end: '2026-01-01' },
  { facets: ['never'] },
  { facets: [] },
  { mode: 'maybe' },
])
  test(`a recall with time ${JSON.stringify(time)} is refused`, async t => {
    const { call } = await startDaemon(t)
    const { status, body } = await call('POST /api/memory/recall', { body: { query: 'x', time } as never })
    t.is(status, 400)
    t.is(body.code, 'validation_failed')
  })
