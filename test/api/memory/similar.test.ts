import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { letterCountReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'

/** Starts a daemon whose vectors are letter counts. */
async function startWithVectors(t: ExecutionContext): Promise<TestDaemon> {
  const fake = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, letterCountReply(request)),
  )
  return startDaemon(t, {
    settings: {
      embedding: {
        provider: 'openai',
        model: 'letters',
        baseUrl: `${fake.url}/v1`,
        dimensions: 26,
        deadlineMs: 60_000,
      },
    },
  })
}

const similar = ({ call }: TestDaemon, query: Record<string, string | number>) =>
  call('GET /memory/similar', { query: query as never })

test('similar returns the nearest memories, best first, without the anchor (rules.md#searches-and-vectors)', async t => {
  const daemon = await startWithVectors(t)
  const id = await daemon.remember('aaa bbb ccc')
  const near = await daemon.remember('abc abc ab')
  const far = await daemon.remember('abc xyz xyz')
  const other = await daemon.remember('www zzz', { type: 'rule' })
  const { status, body } = await similar(daemon, { id })
  t.is(status, 200)
  t.deepEqual(
    body.results.map(row => row.id),
    [near, far, other],
  )
  t.true(body.results[0]!.score > 0.95 && body.results[0]!.score <= 1)
  t.is((await similar(daemon, { id, k: 1 })).body.results.length, 1)
  t.deepEqual(
    (await similar(daemon, { id, type: 'rule' })).body.results.map(row => row.id),
    [other],
  )
})

test('similar returns only what its reader may see (recall.md 1.3)', async t => {
  const daemon = await startWithVectors(t)
  const id = await daemon.remember('aaa bbb')
  await daemon.remember('aaa bbc', { agentId: 'owner', visibility: 'private' })
  await daemon.remember('aaa bbd', { scope: 'staging' })
  const gone = await daemon.remember('aaa bbe')
  await daemon.call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  t.deepEqual((await similar(daemon, { id })).body.results, [])
})

test('similar is 404 no_embedding when the anchor has no vector (rules.md#searches-and-vectors)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('no vector')
  const { status, body } = await similar(daemon, { id })
  t.is(status, 404)
  t.is(body.code, 'no_embedding')
})

test('similar is 404 for an unknown, forgotten or hidden anchor (rules.md 4.4)', async t => {
  const daemon = await startWithVectors(t)
  const gone = await daemon.remember('gone')
  await daemon.call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason: 'r' } })
  const hidden = await daemon.remember('hidden', { agentId: 'owner', visibility: 'private' })
  for (const id of ['nope', gone, hidden]) {
    const { status, body } = await similar(daemon, { id })
    t.is(status, 404)
    t.is(body.code, 'not_found')
  }
})

for (const query of [
  {},
  { id: 'x', k: 0 },
  { id: 'x', k: 101 },
  { id: 'x', k: -1 },
  { id: 'x', type: 'opinion' },
] as const)
  test(`similar with ${JSON.stringify(query)} is refused (rules.md#conventions)`, async t => {
    const { status, body } = await similar(await startDaemon(t), query as never)
    t.is(status, 400)
    t.is(body.code, 'validation_failed')
  })

test('a content change computes its vector before the write (rules.md 4.6)', async t => {
  const daemon = await startWithVectors(t)
  const anchor = await daemon.remember('zzz yyy')
  const id = await daemon.remember('aaa bbb')
  await daemon.daemon.store.tables.memories.update(id, 1, { memory_kind: 'semantic' })
  const { body } = await daemon.call('PATCH /api/memory/:id', {
    params: { id },
    body: { content: 'zzz yyx', reason: 'r' },
  })
  t.like(body, { status: 'updated', contentChanged: true, embedded: true })
  const [row] = (await similar(daemon, { id: anchor })).body.results
  t.is(row?.id, id)
  t.true(row!.score > 0.8)
})
