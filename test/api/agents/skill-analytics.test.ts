import test from 'ava'
import { sweep } from '../../../src/daemon/operations/retention/sweep.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

const day = 86_400_000
const start = Date.parse('2026-03-01T12:00:00Z')

function use(
  { call }: TestDaemon,
  name: string,
  body: { success?: boolean; latencyMs?: number; agentId?: string } = {},
) {
  return call('POST /api/skills/:name/usage', { params: { name }, body: { success: true, ...body } })
}

test('without any uses every figure is 0', async t => {
  const { call } = await startDaemon(t)
  t.deepEqual((await call('GET /api/skills/analytics')).body, {
    totalCalls: 0,
    successRate: 0,
    topSkills: [],
    latency: { p50: 0, p95: 0 },
  } as never)
})

test('uses are counted per skill, most used first, with success rate and average latency', async t => {
  const daemon = await startDaemon(t)
  await use(daemon, 'tidy', { latencyMs: 100 })
  await use(daemon, 'tidy', { latencyMs: 200, success: false })
  await use(daemon, 'tidy')
  await use(daemon, 'other', { success: false })
  const { body } = await daemon.call('GET /api/skills/analytics')
  t.like(body, { totalCalls: 4, successRate: 0.5 })
  t.deepEqual(body.topSkills, [
    { skillName: 'tidy', count: 3, successCount: 2, avgLatencyMs: 150 },
    { skillName: 'other', count: 1, successCount: 0, avgLatencyMs: 0 },
  ])
})

test('percentiles are exact (nearest rank over every use with a latency), whatever the limit', async t => {
  const daemon = await startDaemon(t)
  for (let ms = 100; ms >= 1; ms--) await use(daemon, `skill-${ms % 3}`, { latencyMs: ms })
  await use(daemon, 'tidy')
  const { body } = await daemon.call('GET /api/skills/analytics', { query: { limit: 1 } })
  t.deepEqual(body.latency, { p50: 50, p95: 95 })
  t.deepEqual([body.topSkills.length, body.totalCalls], [1, 101])
})

test('since excludes earlier uses', async t => {
  let now = start
  const daemon = await startDaemon(t, { clock: () => new Date(now) })
  await use(daemon, 'tidy', { latencyMs: 1000 })
  now += day
  await use(daemon, 'tidy', { latencyMs: 10 })
  for (const since of ['2026-03-02', '2026-03-02T00:00:00Z', '2026-03-02T12:00:00.000Z']) {
    const { body } = await daemon.call('GET /api/skills/analytics', { query: { since } })
    t.like(body, { totalCalls: 1, latency: { p50: 10, p95: 10 } })
  }
})

test('each agent has its own figures', async t => {
  const daemon = await startDaemon(t)
  await use(daemon, 'tidy')
  await use(daemon, 'tidy', { agentId: 'maya' })
  await use(daemon, 'other', { agentId: 'maya' })
  const countOf = async (query: object, headers = {}) =>
    (await daemon.call('GET /api/skills/analytics', { query: query as never, headers })).body.totalCalls
  t.deepEqual(
    [
      await countOf({}),
      await countOf({ agent_id: 'maya' }),
      await countOf({ agentId: 'maya' }),
      await countOf({}, { 'x-service-agent-id': 'maya' }),
    ],
    [1, 2, 2, 2],
  )
})

for (const query of [
  { since: 'yesterday' },
  { since: '2026-02-31' },
  { since: '2026-03-01T00:00:00+02:00' },
  { since: '2026-03-01T00:00:00' },
  { limit: 0 },
  { limit: 101 },
  { limit: 'x' },
])
  test(`analytics with ${JSON.stringify(query)} are 400`, async t => {
    const { call } = await startDaemon(t)
    t.like(await call('GET /api/skills/analytics', { query }), {
      status: 400,
      body: { code: 'validation_failed' },
    })
  })

test('a use without success, with a negative latency or without a skill is 400', async t => {
  const { call } = await startDaemon(t)
  const bodies = [{}, { success: 'yes' }, { success: true, latencyMs: -1 }, { success: true, latencyMs: '5' }]
  for (const body of bodies)
    t.is(
      (await call('POST /api/skills/:name/usage', { params: { name: 'tidy' }, body: body as never })).status,
      400,
    )
  const request = { params: { name: '../tidy' }, body: { success: true } }
  t.is((await call('POST /api/skills/:name/usage', request)).status, 400)
})

test('uses are kept for 90 days', async t => {
  let now = start
  const daemon = await startDaemon(t, { clock: () => new Date(now) })
  await use(daemon, 'tidy')
  now += 60 * day
  await use(daemon, 'tidy')
  now += 31 * day
  // The daemon also sweeps every minute, and may have swept already.
  await sweep(daemon.daemon)
  t.is((await daemon.call('GET /api/skills/analytics')).body.totalCalls, 1)
})
