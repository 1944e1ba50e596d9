import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { letterCountReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'

/** Starts a daemon whose provider returns letter counts and can be switched off. */
async function startWithProvider(t: ExecutionContext) {
  const provider = { up: true }
  const fake = await startHttpFake(t, (request, response) =>
    provider.up
      ? sendJson(response, 200, letterCountReply(request))
      : sendJson(response, 503, { error: { message: 'down' } }),
  )
  const embedding = {
    provider: 'openai',
    model: 'letters',
    baseUrl: `${fake.url}/v1`,
    dimensions: 26,
    deadlineMs: 60_000,
  }
  return { provider, daemon: await startDaemon(t, { settings: { embedding } }) }
}

const exported = async ({ call }: TestDaemon, query: Record<string, string | number | boolean> = {}) =>
  (await call('GET /api/embeddings', { query: query as never })).body

test('the export lists memories with a vector, newest first, in pages (rules.md#searches-and-vectors)', async t => {
  const { daemon } = await startWithProvider(t)
  const ids: string[] = []
  for (const day of ['01', '02', '03'])
    ids.unshift(await daemon.remember(`day ${day}`, { createdAt: `2026-01-${day}`, sourceId: `s-${day}` }))
  const all = await exported(daemon)
  t.like(all, { count: 3, total: 3, limit: 600, offset: 0, hasMore: false })
  t.deepEqual(
    all.embeddings.map(({ id }) => id),
    ids,
  )
  t.like(all.embeddings[0], {
    content: 'day 03',
    source_id: 's-03',
    provider: 'openai',
    model: 'letters',
    dimensions: 26,
  })
  t.true(all.embeddings.every(({ vector }) => vector === undefined))
  const page = await exported(daemon, { limit: 2, offset: 0 })
  t.like(page, { count: 2, total: 3, limit: 2, hasMore: true })
  const last = await exported(daemon, { limit: 2, offset: 2 })
  t.like(last, { count: 1, hasMore: false, offset: 2 })
})

test('the export includes vectors of unit length on request (rules.md#searches-and-vectors)', async t => {
  const { daemon } = await startWithProvider(t)
  await daemon.remember('aab')
  const [row] = (await exported(daemon, { vectors: true })).embeddings
  t.is(row?.vector?.length, 26)
  t.true(Math.abs(Math.hypot(...row!.vector!) - 1) < 1e-6)
})

test('the export is complete over many rows (rules.md#searches-and-vectors)', async t => {
  const { daemon } = await startWithProvider(t)
  await Promise.all(Array.from({ length: 120 }, (_, n) => daemon.remember(`apple number ${n}`)))
  const { embeddings, count } = await exported(daemon, { vectors: true })
  t.is(count, 120)
  t.is(new Set(embeddings.map(({ id }) => id)).size, 120)
})

test('the export excludes memories that are hidden, forgotten or without a vector (rules.md 4.4)', async t => {
  const { daemon, provider } = await startWithProvider(t)
  const id = await daemon.remember('shown')
  const hidden = await daemon.remember('hidden', { agentId: 'owner', visibility: 'private' })
  const gone = await daemon.remember('gone')
  await daemon.call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  provider.up = false
  await daemon.remember('no vector')
  const ids = async (query = {}) => (await exported(daemon, query)).embeddings.map(row => row.id)
  t.deepEqual(await ids(), [id])
  t.deepEqual((await ids({ agentId: 'owner' })).sort(), [id, hidden].sort())
  t.is((await exported(daemon)).total, 1)
})

for (const query of [{ limit: 0 }, { limit: 5001 }, { offset: -1 }, { vectors: 'maybe' }])
  test(`an export with ${JSON.stringify(query)} is refused (rules.md#conventions)`, async t => {
    const { call } = await startDaemon(t)
    const { status, body } = await call('GET /api/embeddings', { query: query as never })
    t.is(status, 400)
    t.is(body.code, 'validation_failed')
  })

test('the status shows provider, model, dimensions and errors (rules.md#searches-and-vectors)', async t => {
  const { daemon, provider } = await startWithProvider(t)
  await daemon.remember('first')
  const status = async () => (await daemon.call('GET /api/embeddings/status')).body
  t.like(await status(), { provider: 'openai', model: 'letters', dimensions: 26, available: true })
  t.false(Number.isNaN(Date.parse((await status()).checkedAt)))
  provider.up = false
  const failing = await until(async () => {
    await daemon.remember(`still down at ${Date.now()}`)
    const now = await status()
    return now.available ? undefined : now
  })
  t.truthy(failing.error)
})

test('the status of a daemon without a provider says so (rules.md#searches-and-vectors)', async t => {
  const { call } = await startDaemon(t)
  t.like((await call('GET /api/embeddings/status')).body, { provider: 'none', available: false })
})
